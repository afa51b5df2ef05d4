/** @file A tool whose answers take their time: 200 ms, give or take 400, as a remote service does. */

/** The wait of one answer, never below 0. */
export function wait(): Promise<void> {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return new Promise((done) => setTimeout(done, Math.max(0, 200 + 400 * normal)));
}

export default {
  spec: { name: 'lookup', description: 'Looks the answer up.', parameters: { type: 'object', properties: {} } },
  async call() {
    await wait();
    return { ok: true, text: 'bet' };
  },
};
