// The networks of the comparison with csg-htsim: flows over one drop-tail bottleneck, or MPTCP over two of them.
//
//   source 1 ──┐  rate, queue    RTT/2
//   source 2 ──┼═══ queue ══════ pipe ──── sinks         acknowledgements: a pipe of RTT/2
//   …          ┘
//
//   network tcp|mptcp FLOWS MBIT_PER_S RTT_MS QUEUE_PACKETS SECONDS SEGMENTS_PER_ACK
//
// With `mptcp`, FLOWS does not count: one LIA connection over two bottlenecks, and a TCP flow on each. Without loggers. Prints the data
// packets that reached the sinks, as JSON.

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

struct Network {
    Network(simtime_picosec rtt, unsigned every) : rtt(rtt), every(every), back(rtt / 2, events), scanner(RTO_SCAN, events) {}

    void add_link(linkspeed_bps rate, mem_b queue) {
        queues.emplace_back(new Queue(rate, queue, events, nullptr));
        pipes.emplace_back(new Pipe(rtt / 2, events));
    }

    // A TCP connection over `link`, or a subflow of `multipath`.
    void add_flow(size_t link, MultipathTcpSrc* multipath = nullptr, MultipathTcpSink* multipath_sink = nullptr) {
        auto source = new TcpSrc(nullptr, nullptr, events);
        auto sink = every > 1 ? new DelayingSink(events, every) : new TcpSink();
        if (multipath) {
            multipath->addSubflow(source);
            multipath_sink->addSubflow(sink);
        }
        scanner.registerTcp(*source);
        auto forth = new Route(), home = new Route();
        for (PacketSink* hop : {static_cast<PacketSink*>(queues[link].get()), static_cast<PacketSink*>(pipes[link].get()),
                                static_cast<PacketSink*>(sink)})
            forth->push_back(hop);
        home->push_back(&back);
        home->push_back(source);
        source->connect(*forth, *home, *sink, rtt * (rand() / (RAND_MAX + 1.0)));
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

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 8) {
        std::fprintf(stderr, "usage: network tcp|mptcp FLOWS MBIT_PER_S RTT_MS QUEUE_PACKETS SECONDS SEGMENTS_PER_ACK\n");
        return 2;
    }
    bool mptcp = std::strcmp(argv[1], "mptcp") == 0;
    int flows = std::atoi(argv[2]);
    linkspeed_bps rate = speedFromMbps(std::atof(argv[3]));
    std::cout.rdbuf(nullptr);  // htsim prints each timeout
    Packet::set_packet_size(PACKET);
    srand(1);

    Network net(timeFromMs(std::atof(argv[4])), std::atoi(argv[7]));
    EventList::setEndtime(timeFromSec(std::atof(argv[6])));
    for (int link = 0; link < (mptcp ? 2 : 1); link++) net.add_link(rate, static_cast<mem_b>(std::atoi(argv[5])) * PACKET);
    if (mptcp) {
        auto source = new MultipathTcpSrc(COUPLED_INC, net.events, nullptr);
        auto sink = new MultipathTcpSink(net.events);
        for (int link = 0; link < 2; link++) net.add_flow(link, source, sink);
        source->connect(sink);
        for (int link = 0; link < 2; link++) net.add_flow(link);
    } else {
        for (int flow = 0; flow < flows; flow++) net.add_flow(0);
    }
    while (EventList::doNextEvent()) {}

    uint64_t packets = 0;
    for (TcpSink* sink : net.sinks) packets += sink->_packets / PACKET;
    std::printf("{\"packets\": %llu}\n", static_cast<unsigned long long>(packets));
}
