/**
 * A thread that asks a server the same small question again and again, as a page does, and reports how long each answer took. Not in
 * the thread of the bench, which plays the provider and would measure how busy it is itself.
 */
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 10;
const agent = new Agent({ keepAlive: true });
const times = [];
let isOn = true;

function ask() {
  return new Promise((resolve, reject) => {
    get({ ...workerData, agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
}

parentPort.once('message', () => {
  isOn = false;
});
while (isOn) {
  const startedAt = performance.now();
  await ask();
  times.push(performance.now() - startedAt);
  await wait(PAUSE_MS);
}
agent.destroy();
parentPort.postMessage(times);
