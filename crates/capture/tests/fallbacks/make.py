#!/usr/bin/env python3
"""Captures of real MPTCP connections that fall back to TCP (RFC 8684, section 3.7), by Linux's own sockets.

Usage, as root: make.py FOLDER

Two network namespaces, `client` and `server`, are joined by two TUN devices and this program, which relays packets between them and
changes them as some middleboxes do. tcpdump captures on one side. Both namespaces go with the program.
"""

import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
IPPROTO_MPTCP = 262
SYN, ACK = 2, 16
MPTCP, DSS = 30, 2
BYTES = 30_000
# Large segments, so that a capture has few packets.
MTU = 4000
ADDRESSES = {"client": "10.0.0.1", "server": "10.0.0.2"}

libc = ctypes.CDLL(None, use_errno=True)


def run(command):
    subprocess.run(command, shell=True, check=True)


def inside(namespace, work):
    """The result of `work` in a namespace, in a thread of its own."""
    given = []

    def enter():
        with open(f"/proc/{namespace}/ns/net") as file:
            assert libc.setns(file.fileno(), CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        given.append(work())

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return given[0]


def namespace(name, mptcp, checksums):
    """A process that holds a namespace, and the TUN device in it."""
    holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    own = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{holder.pid}/ns/net") == own:
        time.sleep(0.01)

    def set_up():
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"tun0", IFF_TUN | IFF_NO_PI))
        run(f"ip address add {ADDRESSES[name]}/24 dev tun0 && ip link set tun0 mtu {MTU} up")
        for key, value in (("enabled", mptcp), ("checksum_enabled", checksums)):
            run(f"sysctl -qw net.mptcp.{key}={value}")
        return tun

    return holder, inside(holder.pid, set_up)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Segment:
    """A TCP segment in an IPv4 packet."""

    def __init__(self, packet):
        self.packet = bytearray(packet)
        self.start = (packet[0] & 15) * 4
        self.options_at = self.start + 20
        self.payload_at = self.start + (packet[self.start + 12] >> 4) * 4
        self.flags = packet[self.start + 13]

    def strip(self):
        """MPTCP's options become NOPs, as with middleboxes that leave lengths alone."""
        at = self.options_at
        while at < self.payload_at and self.packet[at] != 0:
            length = 1 if self.packet[at] == 1 else self.packet[at + 1]
            if self.packet[at] == MPTCP:
                self.packet[at : at + length] = b"\1" * length
            at += length

    def sealed(self):
        """With a right TCP checksum."""
        at = self.start + 16
        self.packet[at : at + 2] = b"\0\0"
        pseudo = bytes(self.packet[12:20]) + struct.pack("!BBH", 0, 6, len(self.packet) - self.start)
        self.packet[at : at + 2] = struct.pack("!H", checksum(pseudo + bytes(self.packet[self.start :])))
        return bytes(self.packet)


def unchanged(segment, forward, count):
    pass


def on_syn(segment, forward, count):
    if segment.flags & (SYN | ACK) == SYN:
        segment.strip()


def on_syn_ack(segment, forward, count):
    if segment.flags & (SYN | ACK) == SYN | ACK:
        segment.strip()


def on_data(segment, forward, count):
    if not segment.flags & SYN:
        segment.strip()


def payload(segment, forward, count):
    """A byte of the fourth segment of data changes, as by a gateway that rewrites addresses in a protocol."""
    if forward and count == 4:
        segment.packet[-1] ^= 255


# The actions of the relay; on which side tcpdump captures; whether the server's sockets know MPTCP; whether DSS has checksums.
CASES = {
    "listener-without-mptcp": (unchanged, "client", False, 0),
    "stripped-on-syn": (on_syn, "client", True, 0),
    "stripped-on-syn-ack-client": (on_syn_ack, "client", True, 0),
    "stripped-on-syn-ack-server": (on_syn_ack, "server", True, 0),
    "stripped-on-data-client": (on_data, "client", True, 0),
    "stripped-on-data-server": (on_data, "server", True, 0),
    "changed-payload-client": (payload, "client", True, 1),
    "changed-payload-server": (payload, "server", True, 1),
    "no-fallback": (unchanged, "client", True, 0),
}


def relay(tuns, change, ended):
    count = 0
    while not ended.is_set():
        for tun in select.select(tuns, [], [], 0.05)[0]:
            packet = os.read(tun, 65536)
            forward = tun == tuns[0]
            if packet[0] >> 4 == 4 and packet[9] == 6:
                segment = Segment(packet)
                count += forward and len(packet) > segment.payload_at
                change(segment, forward, count)
                packet = segment.sealed()
            os.write(tuns[1 if forward else 0], packet)


def make(folder, name):
    change, side, mptcp, checksums = CASES[name]
    holders = [namespace("client", 1, checksums), namespace("server", int(mptcp), checksums)]
    (client, _), (server, _) = holders
    tuns = [tun for _, tun in holders]
    ended = threading.Event()
    relaying = threading.Thread(target=relay, args=(tuns, change, ended))
    relaying.start()
    file = os.path.join(folder, f"{name}.pcap")
    at = {"client": client, "server": server}[side]
    tcpdump = subprocess.Popen(
        ["nsenter", f"--net=/proc/{at.pid}/ns/net", "tcpdump", "-Z", "root", "-U", "-i", "tun0", "-s", "104", "-w", file, "tcp"],
        stderr=subprocess.DEVNULL,
    )
    while not (os.path.exists(file) and os.path.getsize(file) >= 24):
        time.sleep(0.02)
    time.sleep(0.3)

    def sockets(protocol):
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)

    listener = inside(server.pid, lambda: sockets(IPPROTO_MPTCP if mptcp else 0))
    listener.bind((ADDRESSES["server"], 5001))
    listener.listen()
    got = []

    def serve():
        connection, _ = listener.accept()
        while data := connection.recv(65536):
            got.append(len(data))
        connection.close()

    serving = threading.Thread(target=serve)
    serving.start()
    sender = inside(client.pid, lambda: sockets(IPPROTO_MPTCP))
    sender.settimeout(20)
    sender.connect((ADDRESSES["server"], 5001))
    # In parts, with pauses: what follows a fallback is sent after it.
    for _ in range(3):
        sender.sendall(b"\0" * (BYTES // 3))
        time.sleep(0.2)
    sender.shutdown(socket.SHUT_WR)
    assert sender.recv(1) == b""
    serving.join()
    assert sum(got) == BYTES, f"{name}: the server got {sum(got)} bytes"
    sender.close()
    listener.close()
    time.sleep(0.3)
    tcpdump.send_signal(signal.SIGINT)
    tcpdump.wait()
    ended.set()
    relaying.join()
    for holder, tun in holders:
        os.close(tun)
        holder.kill()
        holder.wait()
    print(f"{file}: {os.path.getsize(file)} bytes")


if __name__ == "__main__":
    for name in CASES:
        make(sys.argv[1], name)
