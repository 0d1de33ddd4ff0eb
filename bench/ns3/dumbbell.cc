// The dumbbell of the ns-3 comparison.
//
//   sender 1 ──┐                                          ┌── receiver 1
//   sender 2 ──┤ 10 Gbit/s   rate, RTT/2, queue 10 Gbit/s ├── receiver 2
//   …          ├────────── router ═══════════ router ─────┤   …
//
// Prints one JSON object: goodput and time-weighted mean window of each flow between warm-up and end.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <ctime>
#include <vector>

using namespace ns3;

namespace {

constexpr uint32_t MSS = 1448;
constexpr uint16_t PORT = 5000;

// One flow's counters; the window's integral over time runs from the warm-up on.
struct Flow {
    Ptr<PacketSink> sink;
    uint64_t bytesAtWarmup = 0;
    double cwnd = 10;  // segments
    double area = 0;   // segment·s
    double since = 0;  // s

    void Settle(double now) {
        area += cwnd * (now - since);
        since = now;
    }
    void CwndChanged(uint32_t, uint32_t bytes) {
        Settle(Simulator::Now().GetSeconds());
        cwnd = static_cast<double>(bytes) / MSS;
    }
    void Warm() {
        area = 0;
        since = Simulator::Now().GetSeconds();
        bytesAtWarmup = sink->GetTotalRx();
    }
};

// Loses every n-th data packet; ACKs pass.
class EveryNth : public ErrorModel {
  public:
    explicit EveryNth(uint64_t n) : n(n) {}

  private:
    bool DoCorrupt(Ptr<Packet> packet) override { return packet->GetSize() >= MSS && ++count % n == 0; }
    void DoReset() override { count = 0; }

    uint64_t n, count = 0;
};

void Watch(uint32_t node, Flow* flow) {
    auto socket = "/NodeList/" + std::to_string(node) + "/$ns3::TcpL4Protocol/SocketList/0/CongestionWindow";
    Config::ConnectWithoutContext(socket, MakeCallback(&Flow::CwndChanged, flow));
}

void SetTcp(const std::string& cc) {
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + cc));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpPrrRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(MSS));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", StringValue("40ms"));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 27));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 27));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", StringValue("200ms"));
}

}  // namespace

int main(int argc, char* argv[]) {
    std::string cc = "TcpLinuxReno", rate = "100Mbps", queue = "167p";
    uint32_t flows = 1, seed = 1;
    uint64_t every = 0;
    double rtt = 0.02, loss = 0, duration = 60, warmup = 10;

    CommandLine cmd;
    cmd.AddValue("cc", "TcpLinuxReno, TcpNewReno or TcpCubic", cc);
    cmd.AddValue("flows", "number of flows", flows);
    cmd.AddValue("rate", "bottleneck rate", rate);
    cmd.AddValue("rtt", "base round-trip time, in seconds", rtt);
    cmd.AddValue("queue", "bottleneck queue", queue);
    cmd.AddValue("loss", "probability of loss per data packet", loss);
    cmd.AddValue("every", "lose every n-th data packet", every);
    cmd.AddValue("duration", "end, in seconds", duration);
    cmd.AddValue("warmup", "means begin here, in seconds", warmup);
    cmd.AddValue("seed", "run number of the generator", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    SetTcp(cc);

    NodeContainer routers(2), senders(flows), receivers(flows);
    InternetStackHelper internet;
    internet.Install(NodeContainer(routers, senders, receivers));

    PointToPointHelper access, bottleneck;
    access.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    access.SetChannelAttribute("Delay", TimeValue(Seconds(0)));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
    bottleneck.SetDeviceAttribute("DataRate", StringValue(rate));
    bottleneck.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2)));
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(queue));

    // The device's own queue is the only one: no queueing discipline above it.
    TrafficControlHelper none;
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    auto join = [&](PointToPointHelper& link, Ptr<Node> a, Ptr<Node> b) {
        NetDeviceContainer devices = link.Install(a, b);
        Ipv4InterfaceContainer interfaces = address.Assign(devices);
        none.Uninstall(devices);
        address.NewNetwork();
        return std::make_pair(devices, interfaces);
    };

    NetDeviceContainer middle = join(bottleneck, routers.Get(0), routers.Get(1)).first;
    if (loss > 0) {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
        middle.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    } else if (every > 0) {
        middle.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(Create<EveryNth>(every)));
    }

    std::vector<Flow> table(flows);
    auto offset = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; i++) {
        join(access, senders.Get(i), routers.Get(0));
        auto to = join(access, routers.Get(1), receivers.Get(i)).second.GetAddress(1);

        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, PORT));
        double start = offset->GetValue(0, rtt);
        source.Install(senders.Get(i)).Start(Seconds(start));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
        table[i].sink = DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0));

        Simulator::Schedule(Seconds(start) + NanoSeconds(1), &Watch, senders.Get(i)->GetId(), &table[i]);
        Simulator::Schedule(Seconds(warmup), &Flow::Warm, &table[i]);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Stop(Seconds(duration));
    std::clock_t begun = std::clock();
    Simulator::Run();
    double cpu = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;

    double span = duration - warmup;
    std::printf("{\"cpu_s\": %.2f, \"flows\": [", cpu);
    for (uint32_t i = 0; i < flows; i++) {
        table[i].Settle(duration);
        double goodput = 8.0 * (table[i].sink->GetTotalRx() - table[i].bytesAtWarmup) / span;
        std::printf("%s{\"goodput_bps\": %.0f, \"mean_cwnd_segments\": %.3f}", i ? ", " : "", goodput,
                    table[i].area / span);
    }
    std::printf("]}\n");
    Simulator::Destroy();
}
