#include "wcompound.h"
#include "glue.h"

AB_CONGESTION_CONTROL("ab_wcompound");
