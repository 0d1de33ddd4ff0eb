//! The C side: the table of functions that `native/native.h` defines for each algorithm.

use crate::shared::Functions;

unsafe extern "C" {
    pub(crate) static ab_native_reno: Functions;
    pub(crate) static ab_native_cubic: Functions;
    pub(crate) static ab_native_ewtcp: Functions;
    pub(crate) static ab_native_coupled_cubic: Functions;
    pub(crate) static ab_native_linked_cubic: Functions;
    pub(crate) static ab_native_lia: Functions;
    pub(crate) static ab_native_olia: Functions;
    pub(crate) static ab_native_balia: Functions;
    pub(crate) static ab_native_adw_balia: Functions;
    pub(crate) static ab_native_vegas: Functions;
    pub(crate) static ab_native_wvegas: Functions;
    pub(crate) static ab_native_compound: Functions;
    pub(crate) static ab_native_wcompound: Functions;
}
