// In the single-file page, before its script: files come from the page itself, and so do the workers, which are no
// modules, as Chromium loads none from a text in a file.
{
  const kept = globalThis.meshgaugeFiles;
  const unpacked = async (name) => {
    const bytes = Uint8Array.from(atob(kept[name]), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
  };
  const fetchOverNetwork = globalThis.fetch;
  globalThis.fetch = async (asked, ...more) => {
    const name = String(asked).split('/').pop();
    return kept[name] ? new Response(await unpacked(name)) : fetchOverNetwork(asked, ...more);
  };

  // A worker asks the page for the module that it would fetch; what it is told before it runs is not lost.
  const RealWorker = globalThis.Worker;
  const prelude = `const ask=(name)=>new Promise((told)=>{const hear=({data})=>{if(data?.meshgaugeFile!==name)return;removeEventListener('message',hear);told(data.content)};addEventListener('message',hear);postMessage({meshgaugeWants:name})});globalThis.fetch=async(url)=>new Response(await ask(String(url).split('/').pop()));`;
  let source;
  globalThis.Worker = class {
    constructor() {
      const waiting = [];
      const channel = new EventTarget();
      this.worker = undefined;
      this.over = false;
      this.postMessage = (...message) => (this.worker ? this.worker.postMessage(...message) : waiting.push(message));
      this.addEventListener = channel.addEventListener.bind(channel);
      this.removeEventListener = channel.removeEventListener.bind(channel);
      this.terminate = () => ((this.over = true), this.worker?.terminate());
      source ??= unpacked('worker.js').then(async (script) => URL.createObjectURL(new Blob([prelude, await script.text()], { type: 'text/javascript' })));
      void source.then((url) => {
        if (this.over) return;
        const worker = (this.worker = new RealWorker(url));
        worker.addEventListener('message', async (event) => {
          const name = event.data?.meshgaugeWants;
          if (name) worker.postMessage({ meshgaugeFile: name, content: await unpacked(name) });
          else channel.dispatchEvent(new MessageEvent('message', { data: event.data, ports: [...event.ports] }));
        });
        worker.addEventListener('error', (event) => channel.dispatchEvent(new ErrorEvent('error', { message: event.message })));
        for (const message of waiting) worker.postMessage(...message);
      });
    }
  };
}
