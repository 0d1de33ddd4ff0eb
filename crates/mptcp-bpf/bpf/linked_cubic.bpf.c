#include "linked_cubic.h"
#include "glue.h"

AB_CONGESTION_CONTROL("ab_lcubic");
