/** @file Three small studies with real computations: an epidemic on a network, a tournament of strategies, and a bootstrapped regression. */

import type { Study } from './study.ts';

const random = `// The minimal standard generator: the same seed gives the same numbers.
export function generator(seed) {
  let state = (seed * 48271 + 11) % 2147483647;
  if (state <= 0) state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
`;

const seedLine = 'const seed = Number(process.argv[2]);\n';
const moduleFile = '{ "type": "module", "private": true }\n';

const epidemic: Study = {
  id: 'epidemic',
  paper: `# Vaccination on a small-world network

We simulate an infection among 60 people. Everyone meets the two nearest neighbors on each side, and some contacts are rewired at random. An infected person
infects each contact with probability 0.25 a day and recovers with probability 0.2 a day. Three people are infected at first. In the second setting, every third
person is vaccinated beforehand. In a pilot with 30 people and stronger contacts, 0.97 were infected without and 0.41 with vaccination.
`,
  files: {
    'package.json': moduleFile,
    'README.md': 'Run the study with a seed: `node main.js 1`. It prints the share of people infected without and with vaccination.\n',
    'random.js': random,
    'network.js': `export function smallWorld(size, rewire, roll) {
  const contacts = [];
  for (let i = 0; i < size; i++) contacts.push([]);
  for (let i = 0; i < size; i++)
    for (let step = 1; step <= 2; step++) {
      let other = (i + step) % size;
      if (roll() < rewire) other = Math.floor(roll() * size);
      if (other !== i) {
        contacts[i].push(other);
        contacts[other].push(i);
      }
    }
  return contacts;
}
`,
    'model.js': `import { smallWorld } from './network.js';

// 0 susceptible, 1 infected, 2 recovered or vaccinated.
export function attackRate(size, vaccinated, roll) {
  const contacts = smallWorld(size, 0.1, roll);
  const state = [];
  let immune = 0;
  for (let i = 0; i < size; i++) {
    const isImmune = vaccinated && i % 3 === 1;
    state.push(isImmune ? 2 : 0);
    if (isImmune) immune++;
  }
  for (let i = 0; i < 3; i++) state[i * 18] = 1;
  let infected = 3;
  let total = 3;
  for (let day = 0; day < 120 && infected > 0; day++) {
    const before = state.map((value) => value);
    for (let i = 0; i < size; i++) {
      if (before[i] !== 1) continue;
      for (const other of contacts[i])
        if (state[other] === 0 && roll() < 0.25) {
          state[other] = 1;
          infected++;
          total++;
        }
      if (roll() < 0.2) {
        state[i] = 2;
        infected--;
      }
    }
  }
  return total / (size - immune);
}
`,
    'main.js': `import { generator, mean } from './random.js';
import { attackRate } from './model.js';

${seedLine}const roll = generator(seed);
const free = [];
const protectedRates = [];
for (let i = 0; i < 12; i++) {
  free.push(attackRate(60, false, roll));
  protectedRates.push(attackRate(60, true, roll));
}
console.log('infected without vaccination: ' + mean(free).toFixed(4));
console.log('infected with vaccination: ' + mean(protectedRates).toFixed(4));
`,
  },
  command: 'node main.js {seed}',
  questions: [
    { id: 'without', ask: 'Which share of people is infected without vaccination?', line: 'infected without vaccination' },
    { id: 'with', ask: 'Which share of the unvaccinated people is infected with vaccination?', line: 'infected with vaccination' },
  ],
};

const tournament: Study = {
  id: 'tournament',
  paper: `# Strategies for a noisy dilemma

Five strategies play the repeated prisoner's dilemma, each against each, for 40 rounds (temptation 5, reward 3, punishment 1, sucker 0). A move fails with
probability 0.03. An earlier tournament without noise was won by tit for tat with 2.61 points a round.
`,
  files: {
    'package.json': moduleFile,
    'README.md': 'Run the tournament with a seed: `node tournament.js 1`. `sanity.js` only checks the payoffs.\n',
    'random.js': random,
    'strategies.js': `// A strategy sees its own moves and those of the other; true cooperates.
export const strategies = [
  { name: 'always defect', move: () => false },
  { name: 'always cooperate', move: () => true },
  { name: 'tit for tat', move: (own, other) => (other.length === 0 ? true : other[other.length - 1]) },
  { name: 'grudger', move: (own, other) => !other.includes(false) },
  {
    name: 'generous tit for tat',
    move: (own, other, roll) => (other.length === 0 || other[other.length - 1] ? true : roll() < 0.3),
  },
];
`,
    'game.js': `export function payoff(mine, other) {
  if (mine) return other ? 3 : 0;
  return other ? 5 : 1;
}

export function match(first, second, rounds, noise, roll) {
  const a = [];
  const b = [];
  let scoreA = 0;
  let scoreB = 0;
  for (let round = 0; round < rounds; round++) {
    let moveA = first.move(a, b, roll);
    let moveB = second.move(b, a, roll);
    if (roll() < noise) moveA = !moveA;
    if (roll() < noise) moveB = !moveB;
    a.push(moveA);
    b.push(moveB);
    scoreA += payoff(moveA, moveB);
    scoreB += payoff(moveB, moveA);
  }
  return [scoreA / rounds, scoreB / rounds];
}
`,
    'sanity.js': `import { payoff } from './game.js';
console.log('reward for mutual cooperation: ' + payoff(true, true));
`,
    'tournament.js': `import { generator, mean } from './random.js';
import { match } from './game.js';
import { strategies } from './strategies.js';

${seedLine}const roll = generator(seed);
const scores = strategies.map(() => []);
for (let repeat = 0; repeat < 8; repeat++)
  for (let i = 0; i < strategies.length; i++)
    for (let j = i + 1; j < strategies.length; j++) {
      const points = match(strategies[i], strategies[j], 40, 0.03, roll);
      scores[i].push(points[0]);
      scores[j].push(points[1]);
    }
const means = scores.map((list) => mean(list));
let worst = 0;
for (let i = 0; i < means.length; i++) if (means[i] < means[worst]) worst = i;
console.log('points of generous tit for tat: ' + means[4].toFixed(4));
console.log('points of always defect: ' + means[0].toFixed(4));
console.log('lowest strategy: ' + strategies[worst].name);
`,
  },
  command: 'node tournament.js {seed}',
  questions: [
    { id: 'generous', ask: 'How many points a round does generous tit for tat earn?', line: 'points of generous tit for tat' },
    { id: 'lowest', ask: 'Which strategy earns the fewest points, the lowest strategy?', line: 'lowest strategy' },
  ],
};

const regression: Study = {
  id: 'regression',
  paper: `# Height and age of young trees

Heights of 24 trees in centimeters were regressed on their age in months by least squares. The interval of the slope comes from 200 bootstrap samples. With
the robust estimator that we prefer, the slope would be 4.9 centimeters a month.
`,
  files: {
    'package.json': moduleFile,
    'README.md': 'Run `node fit.js 1`; the number seeds the bootstrap. The data are in data.js.\n',
    'random.js': random,
    'data.js': `// Age in months and height in centimeters.
export const trees = [
  [3, 19], [4, 28], [5, 30], [6, 31], [7, 44], [8, 41], [9, 52], [10, 49], [11, 61], [12, 58], [13, 71], [14, 66],
  [15, 82], [16, 77], [17, 80], [18, 97], [19, 90], [20, 104], [21, 99], [22, 117], [23, 108], [24, 121], [25, 118], [26, 135],
];
`,
    'least-squares.js': `import { mean } from './random.js';

export function fit(points) {
  const x = mean(points.map((point) => point[0]));
  const y = mean(points.map((point) => point[1]));
  let top = 0;
  let bottom = 0;
  for (const point of points) {
    top += (point[0] - x) * (point[1] - y);
    bottom += (point[0] - x) * (point[0] - x);
  }
  const slope = top / bottom;
  return { slope: slope, intercept: y - slope * x };
}
`,
    'fit.js': `import { generator } from './random.js';
import { trees } from './data.js';
import { fit } from './least-squares.js';

${seedLine}const roll = generator(seed);
const line = fit(trees);
const slopes = [];
for (let i = 0; i < 200; i++) {
  const sample = [];
  for (let j = 0; j < trees.length; j++) sample.push(trees[Math.floor(roll() * trees.length)]);
  slopes.push(fit(sample).slope);
}
slopes.sort((a, b) => a - b);
console.log('slope: ' + line.slope.toFixed(4) + ' cm a month');
console.log('intercept: ' + line.intercept.toFixed(4) + ' cm');
console.log('lower end of the interval: ' + slopes[5].toFixed(4));
`,
  },
  command: 'node fit.js {seed}',
  questions: [
    { id: 'slope', ask: 'What is the slope, in centimeters a month?', line: 'slope' },
    { id: 'lower', ask: 'What is the lower end of the interval of the slope?', line: 'lower end of the interval' },
  ],
};

export const studies: readonly Study[] = [epidemic, tournament, regression];
