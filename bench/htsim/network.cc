// The networks of the comparison with csg-htsim: flows over one drop-tail bottleneck, or MPTCP over two of them.
//
//   source 1 ──┐  rate, queue    RTT/2
//   source 2 ──┼═══ queue ══════ pipe ──── sinks         acknowledgements: a pipe of RTT/2
//   …          ┘
//
//   network tcp|mptcp FLOWS MBIT_PER_S RTT_MS QUEUE_PACKETS SECONDS SEGMENTS_PER_ACK
//   network shared|separate lia|uncoupled SECONDS SEGMENTS_PER_ACK SEED
//
// With `mptcp`, FLOWS does not count: one LIA connection over two bottlenecks, and a TCP flow on each. `shared` and `separate` are Scenarios 1
// and 2 of the ADW-BALIA paper, as in studies/papers/ADW-BALIA: an access link for each subflow and each of two TCP flows, then one bottleneck
// or two, and hosts that delay acknowledgements by up to 200 µs. Without loggers. Prints the data packets that reached the sinks and the
// goodputs of the connection, or of all flows without one, and of the others, as JSON.

#include "clock.h"
#include "eventlist.h"
#include "mtcp.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

namespace {

constexpr int PACKET = 1500;  // bytes, with headers
// As in our scenarios (`delayed_ack_timeout`) and in htsim's own programs.
const simtime_picosec ACK_DELAY = timeFromMs(40), RTO_SCAN = timeFromMs(10);

// htsim's sink acknowledges each packet. This one waits for `every` packets in order, or for the timer.
class DelayingSink : public TcpSink {
  public:
    DelayingSink(EventList& events, unsigned every) : every(every), timer(*this, events) {}

  private:
    struct Timer : EventSource {
        Timer(DelayingSink& sink, EventList& events) : EventSource(events, "ack timer"), sink(sink) {}
        // An event that comes too early schedules the next, so that a timer costs little per packet.
        void doNextEvent() override {
            armed = false;
            if (sink.pending == 0) return;
            if (eventlist().now() >= due) return sink.acknowledge(false);
            arm();
        }
        void arm() {
            if (!armed) eventlist().sourceIsPending(*this, due);
            armed = true;
        }
        DelayingSink& sink;
        simtime_picosec due = 0;
        bool armed = false;
    };

    // Called for each packet.
    void send_ack(simtime_picosec stamp, bool marked) override {
        bool in_order = _received.empty() && _cumulative_ack > reported && _cumulative_ack > 1;  // byte 1 is the SYN
        if (pending++ == 0) echo = stamp;  // RFC 7323: the earliest one
        if (!in_order || pending >= every) return acknowledge(marked);
        if (pending == 1) {
            timer.due = timer.eventlist().now() + ACK_DELAY;
            timer.arm();
        }
    }
    void acknowledge(bool marked) {
        pending = 0;
        reported = _cumulative_ack;
        TcpSink::send_ack(echo, marked);
    }

    unsigned every, pending = 0;
    simtime_picosec echo = 0;
    uint64_t reported = 0;
    Timer timer;
};

// A host's return path: a delay, and a random processing time that keeps the order.
class Home : public EventSource, public PacketSink {
  public:
    Home(simtime_picosec delay, simtime_picosec jitter, EventList& events) : EventSource(events, "home"), delay(delay), jitter(jitter) {}
    void receivePacket(Packet& packet) override {
        simtime_picosec at = eventlist().now() + delay + static_cast<simtime_picosec>(jitter * (rand() / (RAND_MAX + 1.0)));
        if (waiting.empty()) eventlist().sourceIsPending(*this, at);
        else at = std::max(at, waiting.back().first);
        waiting.emplace_back(at, &packet);
    }
    void doNextEvent() override {
        Packet* packet = waiting.front().second;
        waiting.pop_front();
        if (!waiting.empty()) eventlist().sourceIsPending(*this, waiting.front().first);
        packet->sendOn();
    }
    const string& nodename() override { return name; }

  private:
    string name = "home";
    simtime_picosec delay, jitter;
    std::deque<std::pair<simtime_picosec, Packet*>> waiting;
};

struct Network {
    Network(simtime_picosec rtt, unsigned every) : rtt(rtt), every(every), back(rtt / 2, events), scanner(RTO_SCAN, events) {}

    size_t add_link(linkspeed_bps rate, mem_b queue, simtime_picosec delay) {
        queues.emplace_back(new Queue(rate, queue, events, nullptr));
        pipes.emplace_back(new Pipe(delay, events));
        return queues.size() - 1;
    }

    // A TCP connection over `links`, or a subflow of `multipath`.
    void add_flow(const std::vector<size_t>& links, simtime_picosec jitter = 0, simtime_picosec latest_start = 0,
                  MultipathTcpSrc* multipath = nullptr, MultipathTcpSink* multipath_sink = nullptr) {
        auto source = new TcpSrc(nullptr, nullptr, events);
        auto sink = every > 1 ? new DelayingSink(events, every) : new TcpSink();
        if (multipath) {
            multipath->addSubflow(source);
            multipath_sink->addSubflow(sink);
        }
        scanner.registerTcp(*source);
        auto forth = new Route(), home = new Route();
        for (size_t link : links) {
            forth->push_back(queues[link].get());
            forth->push_back(pipes[link].get());
        }
        forth->push_back(sink);
        if (jitter) home->push_back(new Home(rtt / 2, jitter, events));
        else home->push_back(&back);
        home->push_back(source);
        source->connect(*forth, *home, *sink, latest_start * (rand() / (RAND_MAX + 1.0)));
        sinks.push_back(sink);
    }

    EventList events;
    simtime_picosec rtt;
    unsigned every;
    Pipe back;
    TcpRtxTimerScanner scanner;
    std::deque<std::unique_ptr<Queue>> queues;
    std::deque<std::unique_ptr<Pipe>> pipes;
    std::deque<TcpSink*> sinks;
};

// The networks of the comparison of speed. Returns the number of subflows of the connection.
size_t bottlenecks(Network& net, bool mptcp, int flows, linkspeed_bps rate, mem_b queue) {
    for (int link = 0; link < (mptcp ? 2 : 1); link++) net.add_link(rate, queue, net.rtt / 2);
    if (!mptcp) {
        for (int flow = 0; flow < flows; flow++) net.add_flow({0}, 0, net.rtt);
        return 0;
    }
    auto source = new MultipathTcpSrc(COUPLED_INC, net.events, nullptr);
    auto sink = new MultipathTcpSink(net.events);
    for (size_t link = 0; link < 2; link++) net.add_flow({link}, 0, net.rtt, source, sink);
    source->connect(sink);
    for (size_t link = 0; link < 2; link++) net.add_flow({link}, 0, net.rtt);
    return 2;
}

// The paper's Scenarios 1 and 2: 60 Mbit/s behind access links of 100 Mbit/s, with a queue of 1 BDP.
size_t scenario(Network& net, bool shared, bool lia) {
    const simtime_picosec jitter = timeFromUs(200.0), latest_start = timeFromMs(10);
    std::vector<size_t> access, bottleneck;
    for (int link = 0; link < 4; link++) access.push_back(net.add_link(speedFromMbps(100.0), 1000 * PACKET, net.rtt / 2));
    for (int link = 0; link < (shared ? 1 : 2); link++) bottleneck.push_back(net.add_link(speedFromMbps(60.0), 50 * PACKET, 0));
    auto route = [&](size_t path) { return std::vector<size_t>{access[path], bottleneck[shared ? 0 : path % 2]}; };
    auto source = new MultipathTcpSrc(lia ? COUPLED_INC : UNCOUPLED, net.events, nullptr);
    auto sink = new MultipathTcpSink(net.events);
    for (size_t path = 0; path < 2; path++) net.add_flow(route(path), jitter, latest_start, source, sink);
    source->connect(sink);
    for (size_t path = 2; path < 4; path++) net.add_flow(route(path), jitter, latest_start);
    return 2;
}

}  // namespace

int main(int argc, char* argv[]) {
    auto is = [&](int place, const char* word) { return std::strcmp(argv[place], word) == 0; };
    bool papers = argc == 6 && (is(1, "shared") || is(1, "separate"));
    if (!papers && argc != 8) {
        std::fprintf(stderr, "usage: network tcp|mptcp FLOWS MBIT_PER_S RTT_MS QUEUE_PACKETS SECONDS SEGMENTS_PER_ACK\n"
                             "       network shared|separate lia|uncoupled SECONDS SEGMENTS_PER_ACK SEED\n");
        return 2;
    }
    std::cout.rdbuf(nullptr);  // htsim prints each timeout
    Packet::set_packet_size(PACKET);
    srand(papers ? std::atoi(argv[5]) : 1);
    double seconds = std::atof(argv[papers ? 3 : 6]);
    Network net(timeFromMs(papers ? 10 : std::atof(argv[4])), std::atoi(argv[papers ? 4 : 7]));
    EventList::setEndtime(timeFromSec(seconds));
    size_t subflows = papers ? scenario(net, is(1, "shared"), is(2, "lia"))
                             : bottlenecks(net, is(1, "mptcp"), std::atoi(argv[2]), speedFromMbps(std::atof(argv[3])),
                                           static_cast<mem_b>(std::atoi(argv[5])) * PACKET);
    while (EventList::doNextEvent()) {}

    uint64_t packets = 0;
    for (TcpSink* sink : net.sinks) packets += sink->_packets / PACKET;
    std::printf("{\"packets\": %llu, \"goodput_bps\": [", static_cast<unsigned long long>(packets));
    // htsim's packets carry 1500 bytes of data; ours and TCP's carry 1448.
    auto goodput = [&](size_t i) { return net.sinks[i]->_cumulative_ack * (1448.0 / PACKET) * 8 / seconds; };
    double all = 0;
    for (size_t i = 0; i < subflows; i++) all += goodput(i);
    if (subflows) std::printf("%.0f", all);
    for (size_t i = subflows; i < net.sinks.size(); i++) std::printf("%s%.0f", i ? ", " : "", goodput(i));
    std::printf("]}\n");
}
