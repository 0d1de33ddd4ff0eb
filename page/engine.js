// The simulator in a worker, so that the page stays responsive.

let module;

/** Unpacks the simulator from the page. Browsers without `DecompressionStream` fail here. */
async function unpackModule() {
  const bytes = Uint8Array.from(atob(document.getElementById("module").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  module = await new Response(stream).arrayBuffer();
}

const workerUrl = URL.createObjectURL(
  new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));

class Engine {
  #worker = null;
  #pending = new Map();
  #next = 0;

  #start() {
    this.#worker = new Worker(workerUrl);
    this.#worker.postMessage({ module });
    this.#worker.onmessage = ({ data }) => {
      const waiting = this.#pending.get(data.id);
      if (!waiting) return;
      if (!data.answer) return waiting.samples(data);
      this.#pending.delete(data.id);
      waiting.done(data.answer);
    };
    this.#worker.onerror = (event) => this.#fail(event.message || "the simulator stopped");
  }

  #fail(message) {
    const all = [...this.#pending.values()];
    this.stop();
    for (const { done } of all) done({ ok: false, text: JSON.stringify({ problems: [{ message }] }) });
  }

  /** Stops the worker: pending questions stay unanswered. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#pending.clear();
  }

  /** The answer to a question, as a value; rejects with its problems. `samples` receives a run's samples. */
  async ask(name, question, samples = () => {}) {
    if (!this.#worker) this.#start();
    const id = this.#next++;
    const answer = await new Promise((done) => {
      this.#pending.set(id, { done, samples });
      this.#worker.postMessage({ id, name, question });
    });
    const value = JSON.parse(answer.text);
    if (!answer.ok) throw value.problems;
    return { value, text: answer.text };
  }

  get isBusy() {
    return this.#pending.size > 0;
  }
}
