/** @file A tool for tests: it tells a number that nobody else knows. */

export default {
  spec: { name: 'ticker', description: 'Tells the number.', parameters: { type: 'object', properties: {} } },
  call: async () => ({ ok: true, text: 'number 31337' }),
};
