//! MPTCP's path manager, which selects the addresses of a host for subflows (linux/mptcp_pm.h).

use super::Netlink;
use crate::TestbedError;
use crate::pair::MOST_PATHS;
use netlink_packet_core::{DecodeError, DefaultNla, Emitable, NLA_F_NESTED, ParseableParametrized};
use netlink_packet_generic::ctrl::nlas::GenlCtrlAttrs;
use netlink_packet_generic::ctrl::{GenlCtrl, GenlCtrlCmd};
use netlink_packet_generic::{GenlFamily, GenlHeader, GenlMessage};
use netlink_sys::protocols::NETLINK_GENERIC;
use std::io;
use std::net::Ipv4Addr;

const VERSION: u8 = 1;
const ADD_ADDRESS: u8 = 1;
const DELETE_ADDRESS: u8 = 2;
const SET_LIMITS: u8 = 5;
const SET_FLAGS: u8 = 7;

const ADDRESS: u16 = 1 | NLA_F_NESTED;
const ACCEPTED_ADDRESSES: u16 = 2;
const SUBFLOWS: u16 = 3;

const FAMILY: u16 = 1;
const ID: u16 = 2;
const ADDRESS_V4: u16 = 3;
const FLAGS: u16 = 6;
const DEVICE: u16 = 7;

const FLAG_SUBFLOW: u32 = 1 << 1;
const FLAG_BACKUP: u32 = 1 << 2;

/// The path manager of a namespace.
pub struct PathManager {
    netlink: Netlink,
    family: u16,
}

/// An address from which connections have a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its number, from 1.
    pub id: u8,
    /// The address.
    pub address: Ipv4Addr,
    /// The index of the outgoing device.
    pub device: u32,
    /// Whether it is used only while all regular subflows are unusable.
    pub backup: bool,
}

impl PathManager {
    /// Opens the path manager of the calling thread's namespace.
    ///
    /// # Errors
    /// If the kernel lacks MPTCP.
    pub fn open() -> Result<Self, TestbedError> {
        let open = || -> io::Result<Self> {
            let netlink = Netlink::open(NETLINK_GENERIC)?;
            let name = GenlCtrlAttrs::FamilyName(Request::family_name().to_owned());
            let ask = GenlMessage::from_payload(GenlCtrl { cmd: GenlCtrlCmd::GetFamily, nlas: vec![name] });
            let answers = netlink.request(ask, 0)?;
            let mut attributes = answers.into_iter().flat_map(|answer| answer.payload.nlas);
            let family = attributes.find_map(|attribute| match attribute {
                GenlCtrlAttrs::FamilyId(id) => Some(id),
                _ => None,
            });
            let family = family.ok_or_else(|| io::Error::other("no answer"))?;
            Ok(PathManager { netlink, family })
        };
        open().map_err(TestbedError::kernel("find MPTCP's path manager"))
    }

    /// Raises the limit of subflows per connection to the kernel's maximum.
    pub fn lift_limits(&self) -> Result<(), TestbedError> {
        let limits = [ACCEPTED_ADDRESSES, SUBFLOWS].map(|limit| number(limit, MOST_PATHS as u32));
        self.request("set the limits of MPTCP's path manager", SET_LIMITS, limits.to_vec())
    }

    /// Adds an endpoint, of which there may be eight: existing and future connections get a subflow from it.
    pub fn add(&self, endpoint: &Endpoint) -> Result<(), TestbedError> {
        let flags = FLAG_SUBFLOW | endpoint.backup_flag();
        let address = endpoint.nested(vec![number(FLAGS, flags), number(DEVICE, endpoint.device)]);
        self.request(&format!("add the endpoint {}", endpoint.address), ADD_ADDRESS, vec![address])
    }

    /// Removes the endpoint and its subflows.
    pub fn remove(&self, endpoint: &Endpoint) -> Result<(), TestbedError> {
        let what = format!("remove the endpoint {}", endpoint.address);
        self.request(&what, DELETE_ADDRESS, vec![endpoint.nested(Vec::new())])
    }

    /// Makes the endpoint and its subflows backup or regular, as in `endpoint`.
    pub fn set_backup(&self, endpoint: &Endpoint) -> Result<(), TestbedError> {
        let what = format!("change the endpoint {}", endpoint.address);
        self.request(&what, SET_FLAGS, vec![endpoint.nested(vec![number(FLAGS, endpoint.backup_flag())])])
    }

    fn request(&self, what: &str, command: u8, attributes: Vec<DefaultNla>) -> Result<(), TestbedError> {
        let mut message = GenlMessage::from_payload(Request { command, attributes });
        message.set_resolved_family_id(self.family);
        self.netlink.request(message, 0).map(drop).map_err(TestbedError::kernel(what))
    }
}

impl Endpoint {
    fn backup_flag(&self) -> u32 {
        if self.backup { FLAG_BACKUP } else { 0 }
    }

    fn nested(&self, more: Vec<DefaultNla>) -> DefaultNla {
        let family = (libc::AF_INET as u16).to_ne_bytes();
        let mut attributes = vec![
            DefaultNla::new(FAMILY, family.to_vec()),
            DefaultNla::new(ID, vec![self.id]),
            DefaultNla::new(ADDRESS_V4, self.address.octets().to_vec()),
        ];
        attributes.extend(more);
        let mut bytes = vec![0; attributes.as_slice().buffer_len()];
        attributes.as_slice().emit(&mut bytes);
        DefaultNla::new(ADDRESS, bytes)
    }
}

fn number(kind: u16, value: u32) -> DefaultNla {
    DefaultNla::new(kind, value.to_ne_bytes().to_vec())
}

/// A request to the path manager.
#[derive(Debug)]
struct Request {
    command: u8,
    attributes: Vec<DefaultNla>,
}

impl GenlFamily for Request {
    fn family_name() -> &'static str {
        "mptcp_pm"
    }

    fn command(&self) -> u8 {
        self.command
    }

    fn version(&self) -> u8 {
        VERSION
    }
}

impl Emitable for Request {
    fn buffer_len(&self) -> usize {
        self.attributes.as_slice().buffer_len()
    }

    fn emit(&self, buffer: &mut [u8]) {
        self.attributes.as_slice().emit(buffer);
    }
}

/// These requests have no answers with attributes.
impl ParseableParametrized<[u8], GenlHeader> for Request {
    fn parse_with_param(_: &[u8], header: GenlHeader) -> Result<Self, DecodeError> {
        Ok(Request { command: header.cmd, attributes: Vec::new() })
    }
}
