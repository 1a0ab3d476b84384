// Preloaded into a server to see whether the crash test notices: every commit is acknowledged at once, and reaches the
// telemetry thread only later.
import { Worker } from 'node:worker_threads';

const delayMs = 50;
const postMessage = Worker.prototype.postMessage;

Worker.prototype.postMessage = function (message, transfer) {
  if (message?.method !== 'commit') {
    postMessage.call(this, message, transfer);
    return;
  }
  setImmediate(() => this.emit('message', { id: message.id, result: undefined }));
  setTimeout(() => postMessage.call(this, message, transfer), delayMs);
};
