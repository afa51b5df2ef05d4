/** @file x */

export const poker = {
  environment: 'kuhn-poker',
  task: { rounds: 5 },
  seed: 7,
  cast: { first: 'scripted:bold', second: 'scripted:honest' },
};
