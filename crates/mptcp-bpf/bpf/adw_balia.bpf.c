#include "adw_balia.h"
#include "glue.h"

AB_CONGESTION_CONTROL("ab_adw_balia");
