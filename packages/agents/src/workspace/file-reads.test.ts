import { describe, expect, it } from 'vitest';
import { fileReadsIn, outsideCallsIn, reachesOutside, variablesIn } from './file-reads.ts';

const files = ['./zz.mjs', './c.cjs', 'data.txt', './data.json'];
const readsIn = (source: string) => fileReadsIn(source, (name) => files.includes(name));

describe('file reads of a script', () => {
  it.each([
    [`const z = await import('./zz.mjs')`, './zz.mjs'],
    [`const r = createRequire(import.meta.url); r('./c.cjs')`, './c.cjs'],
    [`const load = module.createRequire(here); export const act = () => load('./c.cjs')`, './c.cjs'],
    [`readFileSync(path.join(import.meta.dirname, 'data.txt'), 'utf8')`, 'data.txt'],
    [`const file = new URL('./data.json', import.meta.url);\nfs.readFileSync(file)`, './data.json'],
    ['await readFile(`./data.json`)', './data.json'],
    [`import { readFileSync as load } from 'node:fs';\nload('data.txt')`, 'data.txt'],
    [`const { readFile: load } = await import('node:fs/promises');\nawait load('data.txt')`, 'data.txt'],
    [`import { open } from 'node:fs/promises';\nconst file = await open('data.txt')`, 'data.txt'],
    [`import { DatabaseSync } from 'node:sqlite';\nnew DatabaseSync('data.txt')`, 'data.txt'],
    [`import { existsSync } from 'node:fs';\nexistsSync('data.txt')`, 'data.txt'],
  ])('are found in %s', (source, name) => {
    expect(readsIn(source)).toMatchObject({ names: expect.arrayContaining([name]), computed: [] });
  });

  it.each([
    [`await import('./z' + 'z.mjs')`, `import('./z' + 'z.mjs')`],
    [`const f = './z' + 'z.mjs'; await import(f)`, 'import(f)'],
    [`readFileSync('./da' + 'ta.txt')`, `readFileSync('./da' + 'ta.txt')`],
    [`readFileSync(\`./\${name}.txt\`)`, `readFileSync(\`./\${name}.txt\`)`],
    [`import { readdirSync } from 'node:fs';\nreaddirSync('./words')`, `readdirSync('./words')`],
  ])('are unknown for %s', (source, call) => {
    expect(readsIn(source).computed).toEqual([call]);
  });

  it('exclude package imports, comments, and unrelated functions with similar names', () => {
    const source = `import x from './zz.mjs';\n// readFileSync(name)\n/* import(name) */\nrequire('fs');\nfunction readFile(path) {}\nthing.import_(a)`;
    expect(readsIn(source).computed).toEqual([]);
    expect(readsIn(`door.open(key); readFile: async (path) => path, async (path) => 1`).computed).toEqual([]);
  });

  it('are named in Python, too', () => {
    const readsOf = (source: string) => fileReadsIn(source, (name) => files.includes(name), 'python');
    expect(readsOf(`open('data.txt').read() # open(name)`)).toEqual({ names: ['data.txt'], computed: [] });
    expect(readsOf(`def open(path): pass\nopen(f'{name}.txt')\nos.listdir('words')`).computed).toEqual([
      `open(f'{name}.txt')`,
      `listdir('words')`,
    ]);
  });
});

describe('outside access of a script', () => {
  it.each([
    ['const answer = await fetch(url);', ['fetch']],
    ["const model = await loadModel('openai/gpt-5-mini'); new WebSocket (url)", ['loadModel', 'WebSocket']],
    ['// fetch(url)\nfunction fetch(path) {}\nprefetch(url); fetched(1)', []],
  ])('is detected in %s', (source, calls) => expect(outsideCallsIn(source)).toEqual(calls));

  it('is detected from imports', () => {
    for (const name of ['http', 'node:https', 'node:child_process', 'openai', '@anthropic-ai/sdk']) expect(reachesOutside(name)).toBe(true);
    for (const name of ['node:fs', './http', 'httpster', 'zod']) expect(reachesOutside(name)).toBe(false);
    expect([reachesOutside('urllib/request', true), reachesOutside('json', true)]).toEqual([true, false]);
  });
});

it('variablesIn lists the environment variables that a script reads, except keys', () => {
  expect(variablesIn(`process.env.ADD; process.env['MODE'] ?? process.env.API_KEY // process.env.OFF`)).toEqual({
    names: ['ADD', 'MODE'],
    isComputed: false,
  });
  expect(variablesIn('const { ADD } = process.env;').isComputed).toBe(true);
  expect(variablesIn(`os.environ['ADD'] + os.getenv('MODE') + os.environ.get("API_KEY") # os.environ`, 'python')).toEqual({
    names: ['ADD', 'MODE'],
    isComputed: false,
  });
});
