/** @file Two conditions, one test: small enough to be solved by hand. Guessing is worth 0.5, testing first 0.85 − 0.05. */

import type { ClinicTable } from '../table.ts';

export const mini: ClinicTable = {
  name: 'mini',
  seats: ['doctor'],
  scene: 'A sample is on your desk. It shows one of two made-up conditions, each as likely as the other.',
  conditions: [
    { id: 'redpox', prior: 0.5 },
    { id: 'bluepox', prior: 0.5 },
  ],
  // Present in nine of ten with redpox, absent in eight of ten without.
  findings: [{ id: 'swab', kind: 'test', chances: [0.9, 0.2], cost: 0.05 }],
  must: [],
  charges: { turn: 0, refer: 0.1, missed: 0.5 },
  concerns: [],
};
