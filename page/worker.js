// Runs one question at a time in the simulator and posts samples as they arrive.
"use strict";

let instance;
let post; // the samples not yet posted

const imports = {
  page: {
    keep_going(time) {
      const now = performance.now();
      if (now - post.at > 100) flush(time, now);
      return 1;
    },
    subflow_sample(flow, subflow, time, cwnd, ssthresh, srtt, inFlight, delivered, lost) {
      post.subflows.push(flow, subflow, time, cwnd, srtt, delivered, lost);
    },
    link_sample(link, time, bytes, packets, drops, losses) {
      post.links.push(link, time, bytes, drops + losses);
    },
  },
};

function flush(time, now) {
  const subflows = Float64Array.from(post.subflows);
  const links = Float64Array.from(post.links);
  postMessage({ id: post.id, time, subflows, links }, [subflows.buffer, links.buffer]);
  post = { id: post.id, at: now, subflows: [], links: [] };
}

/** Calls a function of the simulator with a question. Returns the answer's text, and whether it is one. */
function ask(name, question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const exports = instance.exports;
  const at = exports.reserve(bytes.length);
  new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  const length = exports[name]();
  const text = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.answer(), Math.abs(length)));
  return { ok: length > 0, text };
}

onmessage = ({ data }) => {
  if (data.module) {
    instance = new WebAssembly.Instance(new WebAssembly.Module(data.module), imports);
    return;
  }
  const { id, name, question } = data;
  post = { id, at: performance.now(), subflows: [], links: [] };
  const answer = ask(name, question);
  if (name === "run") flush(null, performance.now());
  postMessage({ id, answer });
};
