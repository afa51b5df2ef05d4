/** @file A tool for tests: it returns a number that no agent knows. */

export default {
  spec: { name: 'ticker', description: 'Tells the number.', parameters: { type: 'object', properties: {} } },
  call: async () => ({ ok: true, text: 'number 31337' }),
};
