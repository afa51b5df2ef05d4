/** @file Personas from the command line: in and out of every format, shown, checked, sampled and begun. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { plainImage, readPngCard, withoutCards, writePngCard } from '@ludus-agents/agents/internal/personas/exchange/png';
import { gallery, importPersona, type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const corpus = join(import.meta.dirname, '../../../../../../shared/data/personas/tinytroupe');
const villain = gallery['villain']!;

describe('persona import and export', () => {
  it.each(['card-v1', 'card-v2', 'card-v3', 'png', 'charx', 'tinytroupe', 'sotopia', 'eliza', 'persona'])(
    'preserve a persona through %s',
    async (format) => {
      const file = `villain.${format}`;
      const out = await ludus(here, ['persona', 'export', 'villain', '--to', format, '-o', file, '--json']);
      expect(out.code).toBe(0);
      expect(JSON.parse(out.out)).toMatchObject({ file, format });
      const back = await ludus(here, ['persona', 'import', file, '--json']);
      expect(back.code).toBe(0);
      const persona = JSON.parse(back.out) as Persona;
      expect(persona).toMatchObject({ schema: 'persona/1', name: 'Cassian Vole' });
      expect(persona).toEqual(importPersona(readFileSync(join(here, file))).persona);
    },
  );

  it('return an unchanged card exactly', async () => {
    const card = { name: 'Ann', description: 'A tailor.', personality: '', scenario: '', first_mes: 'Hm?', mes_example: '' };
    writeFileSync(join(here, 'v1.json'), JSON.stringify(card));
    await ludus(here, ['persona', 'import', 'v1.json', '-o', 'ann.json']);
    await ludus(here, ['persona', 'export', 'ann.json', '--to', 'card-v1', '-o', 'again.json']);
    expect(JSON.parse(readFileSync(join(here, 'again.json'), 'utf8'))).toEqual(card);
  });

  it('read from stdin and report to stderr', async () => {
    const { out, err } = await ludus(here, ['persona', 'import', '-'], { typed: JSON.stringify(villain) });
    expect(JSON.parse(out)).toEqual(villain);
    expect(err).toContain('Cassian Vole, read as persona with 9 statements and ');
  });

  it('says how sampled people become more than their attributes', async () => {
    const town = { attributes: { age: { '18-39': 50, '40-64': 50 } } };
    writeFileSync(join(here, 'bare.json'), JSON.stringify(town));
    writeFileSync(join(here, 'rich.json'), JSON.stringify({ ...town, traits: { E: { mean: 50, sd: 20 } } }));
    expect((await ludus(here, ['persona', 'sample', './bare.json', '-n', '4'])).out).toContain('add "statements" or "traits"');
    expect((await ludus(here, ['persona', 'sample', './rich.json', '-n', '4'])).out).not.toContain('add "statements"');
  });

  it('says that a card has no portrait, and reads a description in plain text', async () => {
    writeFileSync(join(here, 'tilda.txt'), 'Tilda Marsh is a ferry pilot.\nSecret: Tilda fears bells.\n');
    const read = await ludus(here, ['persona', 'import', 'tilda.txt', '-o', 'tilda.json']);
    expect(read.err).toContain('Tilda Marsh, read as text with 1 statement and 1 secret');
    const { err } = await ludus(here, ['persona', 'export', 'tilda.json', '--to', 'png', '-o', 'tilda.png']);
    expect(err).toContain('portrait (pass --image FILE)');
  });

  it('list the fields that a format cannot store', async () => {
    const { err } = await ludus(here, ['persona', 'export', 'villain', '--to', 'card-v1', '-o', 'v.json']);
    expect(err).toMatch(/fields? would be lost or changed in card-v1/);
  });

  it.each([
    [['persona', 'import', 'nowhere.json'], 'nowhere.json cannot be read: no such file or folder.'],
    [['persona', 'import', 'odd.json'], 'odd.json: Unknown format.'],
    [['show', 'persona', 'vilain'], 'Did you mean "villain"?'],
    [['persona', 'export', 'villain', '--to', 'card-v9', '-o', 'x'], 'Did you mean "card-v1"?'],
    [['persona', 'export', 'villain', '--to', 'png'], 'is not text. Choose a file with -o, such'],
    [['persona', 'export', 'villain', '--to', 'card-v2', '-o', 'v.png'], 'v.png does not match --to card-v2. Use --to png'],
    [['persona', 'export', 'villain'], "Required option '--to <format>' not specified"],
    [['persona', 'imprt', 'x'], "Unknown command 'imprt' – did you mean import?"],
    [['persona', 'new'], 'A persona needs a name'],
    [['persona', 'new', 'Ann', '--model', 'fake'], '--model is used to draft from --describe. Add --describe'],
    [['persona', 'new', '--describe', 'a cook'], '--describe needs a model'],
    [['persona', 'sample', 'odd.json'], 'odd.json does not contain a valid population: expected an object with "attributes" or "joints"'],
    [['persona', 'sample', 'town'], 'Unknown population "town"'],
  ])('report an input error: %j', async (words, sentence) => {
    writeFileSync(join(here, 'odd.json'), '{"hello":"world"}');
    const { code, out, err } = await ludus(here, words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it.skipIf(!existsSync(corpus))('preserve the TinyTroupe corpus (skipped without ../shared/data/personas)', async () => {
    const files = readdirSync(corpus).filter((file) => file.endsWith('.agent.json'));
    for (const file of files.filter((_, i) => i % amount(60, 12) === 0)) {
      const path = join(corpus, file);
      await ludus(here, ['persona', 'import', path, '-o', 'in.json', '--force']);
      expect(JSON.parse((await ludus(here, ['persona', 'check', 'in.json', '--json'])).out).valid, file).toBe(true);
      await ludus(here, ['persona', 'export', 'in.json', '--to', 'tinytroupe', '-o', 'out.json']);
      expect(JSON.parse(readFileSync(join(here, 'out.json'), 'utf8')), file).toEqual(JSON.parse(readFileSync(path, 'utf8')));
    }
  });
});

describe('a card in an image', () => {
  const comment = Buffer.from('Comment\0painted by Ida', 'latin1');
  const card = { name: 'Dock', description: 'Dock runs a ferry.\nHer hidden truth is known to nobody.', personality: '', scenario: '' };
  const v2 = {
    spec: 'chara_card_v2',
    spec_version: '2.0',
    data: { ...card, first_mes: 'Wet.', mes_example: '', extensions: { other: 1 } },
  };
  const v3 = { spec: 'chara_card_v3', spec_version: '3.0', data: { ...v2.data, nickname: 'Cap' } };
  const png = writePngCard(withChunk(plainImage('ff8800', 8), comment), { chara: v2, ccv3: v3 });

  it('becomes a document and is exported with its portrait and every chunk', async () => {
    writeFileSync(join(here, 'card.png'), png);
    const { err } = await ludus(here, ['persona', 'import', 'card.png', '-o', 'dock.json']);
    expect(err).toContain('The portrait is in dock.portrait.png');
    expect(err).toContain('"Her hidden truth is known to nobody.". To hide it, start its line with "Secret:".');
    await ludus(here, ['persona', 'export', 'dock.json', '--to', 'png', '-o', 'again.png']);
    expect(readFileSync(join(here, 'again.png')).equals(png)).toBe(true);
    await ludus(here, ['persona', 'export', 'card.png', '--to', 'png', '-o', 'direct.png']);
    expect(readFileSync(join(here, 'direct.png')).equals(png)).toBe(true);
  });

  it('keeps its portrait and other chunks after the document was edited', async () => {
    const document = JSON.parse(readFileSync(join(here, 'dock.json'), 'utf8')) as { statements: { text: string }[] };
    document.statements[0]!.text = 'Dock runs two ferries.';
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ ...document, hash: undefined }));
    await ludus(here, ['persona', 'export', 'dock.json', '--to', 'png', '-o', 'edited.png']);
    const edited = readFileSync(join(here, 'edited.png'));
    expect(edited.includes(comment)).toBe(true);
    expect(Buffer.from(withoutCards(edited)).equals(withoutCards(png))).toBe(true);
    expect(readPngCard(edited)).toMatchObject({ data: { description: expect.stringContaining('two ferries'), extensions: { other: 1 } } });
  });

  it('can be named as a persona in any spec', async () => {
    mkdirSync(join(here, 'cast'), { recursive: true });
    writeFileSync(join(here, 'cast/oda.json'), JSON.stringify({ name: 'Oda', voice: { greetings: ['Aye.'] } }));
    writeFileSync(join(here, 'cast/agent.json'), JSON.stringify({ name: 'a', kind: 'llm', model: 'fake/Yes.', persona: './oda.json' }));
    const { code, out, err } = await ludus(here, ['play', 'chat', '--agents', './cast/agent.json,scripted', '--seed', '1', '--json']);
    expect({ code, err }).toMatchObject({ code: 0 });
    const { episode } = JSON.parse(out) as { episode: string };
    const { log } = JSON.parse((await ludus(here, ['show', episode, '--json'])).out) as { log: readonly { personas?: object }[] };
    expect(log[0]?.personas).toEqual({ character: expect.stringMatching(/./) });
    const settings = { others: ['./oda.json', 'villain'] };
    writeFileSync(join(here, 'cast/knows.json'), JSON.stringify({ name: 'a', kind: 'llm', model: 'fake/Yes.', persona: 'pell', settings }));
    const knows = await ludus(here, ['play', 'chat', '--agents', './cast/knows.json,scripted', '--seed', '1', '--json']);
    expect({ code: knows.code, err: knows.err }).toMatchObject({ code: 0 });
    writeFileSync(join(here, 'cast/agent.json'), JSON.stringify({ name: 'a', kind: 'llm', model: 'fake', persona: './nobody.json' }));
    const missing = await ludus(here, ['play', 'chat', '--agents', './cast/agent.json,scripted', '--json']);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('./nobody.json cannot be read') });
  });
});

/** An image with one more text chunk before its end. */
function withChunk(image: Uint8Array, data: Buffer): Uint8Array {
  const body = Buffer.concat([Buffer.from('tEXt', 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  const end = image.length - 12;
  return Buffer.concat([image.subarray(0, end), frame.subarray(0, 4), body, frame.subarray(4), image.subarray(end)]);
}

describe('persona show', () => {
  it('previews the prompt of a persona, and the changes from another one', async () => {
    const dock = { name: 'Dock', statements: ['Dock runs a ferry.'], policy: { postHistory: 'Never speak for {{user}}.' } };
    writeFileSync(join(here, 'one.json'), JSON.stringify(dock));
    writeFileSync(join(here, 'two.json'), JSON.stringify({ ...dock, statements: ['Dock runs two ferries.'] }));
    const { out } = await ludus(here, ['show', 'persona', 'one.json', '--prompt', '--user', 'Ida']);
    expect(out).toContain('You are Dock.');
    expect(out).toContain('Never speak for Ida.');
    expect(out).toMatch(/About \d+ tokens\./);
    const changed = await ludus(here, ['show', 'persona', 'one.json', '--diff', 'two.json']);
    expect(changed.out).toContain('- - Dock runs a ferry.\n+ - Dock runs two ferries.\n');
  });
});

describe('persona new', () => {
  it('keeps the requested name even if the model chose another', async () => {
    const model = 'fake/{"name":"Tib Oar","statements":["Tib Oar rows at night."]}';
    const { code } = await ludus(here, [
      'persona',
      'new',
      'Ann Archer',
      '--describe',
      'a ferryman',
      '--model',
      model,
      '-o',
      'drafted.json',
    ]);
    expect(code).toBe(0);
    const persona = JSON.parse(readFileSync(join(here, 'drafted.json'), 'utf8')) as Persona;
    expect(persona).toMatchObject({ name: 'Ann Archer', id: 'ann-archer', statements: [{ text: 'Ann Archer rows at night.' }] });
  });
});

describe('help', () => {
  const parts = ['new', 'import', 'export', 'check', 'sample'].map((part) => `persona ${part}`);
  it.each(['persona', ...parts, 'show persona', 'chat', 'play scene', 'models'])('of %s has examples and fits the screen', async (name) => {
    const { code, out } = await ludus(here, [...name.split(' '), '--help'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(code).toBe(0);
    expect(out).toContain(`Usage: ludus ${name}`);
    expect(out).toMatch(new RegExp(`Examples:\\n {2}ludus ${name}`));
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('of a command with subcommands is printed without arguments', async () => {
    const { code, out } = await ludus(here, ['persona']);
    expect({ code, same: out === (await ludus(here, ['persona', '--help'])).out }).toEqual({ code: 0, same: true });
  });
});

describe('persona check', () => {
  it('accepts the gallery and cards of other programs', async () => {
    writeFileSync(join(here, 'good.json'), JSON.stringify(villain));
    const { code, out } = await ludus(here, ['persona', 'check', 'good.json', '--json']);
    expect({ code, report: JSON.parse(out) }).toEqual({ code: 0, report: { valid: true, format: 'persona', problems: [], flaws: [] } });
    expect((await ludus(here, ['persona', 'check', 'villain'])).code).toBe(0);
  });

  it('finds contradictions under both of its names', async () => {
    const voice = { ...villain.voice, greetings: ['I forged the letter in Teo Marsh’s hand that the admiral found.'] };
    writeFileSync(join(here, 'leaky.json'), JSON.stringify({ ...villain, voice }));
    for (const name of ['check']) {
      const { code, out } = await ludus(here, ['persona', name, 'leaky.json', '--json']);
      expect({ code, report: JSON.parse(out) }).toMatchObject({ code: 1, report: { valid: true, flaws: [{ kind: 'secret-told' }] } });
    }
  });

  it('names every invalid field and exits with 1', async () => {
    const moral = { level: 9, traits: [] };
    const wrong = {
      ...villain,
      identity: { ...villain.identity, personal: { ...villain.identity.personal, moral } },
      version: 3,
      goals: 'x',
    };
    writeFileSync(join(here, 'wrong.json'), JSON.stringify(wrong));
    const { code, out } = await ludus(here, ['persona', 'check', 'wrong.json']);
    expect(code).toBe(1);
    expect(out).toContain('3 problems');
    for (const field of ['identity.personal.moral.level', 'version', 'goals']) expect(out).toContain(`· ${field} must be`);
  });

  it('rejects a file that is not a document with one sentence', async () => {
    writeFileSync(join(here, 'text.json'), 'hello');
    const { code, out } = await ludus(here, ['persona', 'check', 'text.json', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ valid: false, problems: [expect.stringContaining('JSON in UTF-8')] });
    expect((await ludus(here, ['persona', 'check', 'nowhere.json'])).code).toBe(2);
  });
});

describe('show persona', () => {
  it('shows everything, or only public facts', async () => {
    const setting = { tty: true, columns: 70, env: { NO_COLOR: '1' } };
    const all = (await ludus(here, ['show', 'persona', 'villain'], setting)).out;
    const open = (await ludus(here, ['show', 'persona', 'villain', '--public'], setting)).out;
    expect(all.replace(/\s+/g, ' ')).toContain('forged the letter');
    for (const { text } of [...villain.secrets, ...villain.goals]) expect(open.replace(/\s+/g, ' ')).not.toContain(text.slice(0, 30));
    expect(open).toContain('honest man');
    for (const line of `${all}${open}`.split('\n')) expect(line.length).toBeLessThanOrEqual(70);
  });

  it('lists the gallery', async () => {
    const { out } = await ludus(here, ['show', 'persona', '--json']);
    expect((JSON.parse(out) as { id: string }[]).map(({ id }) => id)).toEqual(Object.keys(gallery));
  });
});

describe('persona sample', () => {
  it('draws the same fifty people twice, with their fit', async () => {
    const words = ['persona', 'sample', 'customers', '-n', '50', '--seed', '1', '--json'];
    const [first, second] = [await ludus(here, words), await ludus(here, words)];
    expect(second.out).toBe(first.out);
    const sample = JSON.parse(first.out);
    expect(sample.personas).toHaveLength(50);
    expect(sample.report.length).toBeGreaterThan(3);
    for (const { cells } of sample.report) expect(cells.reduce((sum: number, cell: { count: number }) => sum + cell.count, 0)).toBe(50);
    expect((await ludus(here, [...words.slice(0, -2), '2', '--json'])).out).not.toBe(first.out);
  });

  it('matches every share exactly in a weighted table, which can be read as a population', async () => {
    writeFileSync(join(here, 'spec.json'), '{"attributes":{"gender":{"female":51,"male":49},"plan":{"free":7,"pro":3}}}');
    const words = ['persona', 'sample', './spec.json', '-n', '200', '--exact', '-o', 'people.csv'];
    expect((await ludus(here, words)).code).toBe(0);
    const [header, ...rows] = readFileSync(join(here, 'people.csv'), 'utf8').trim().split('\n');
    expect(header).toBe('id,name,gender,plan,weight');
    expect(rows).toHaveLength(200);
    expect(rows.filter((row) => row.includes(',female,'))).toHaveLength(102);
    expect(rows.filter((row) => row.includes(',pro,'))).toHaveLength(60);
    expect(rows.every((row) => row.endsWith(',1'))).toBe(true);
    const again = JSON.parse((await ludus(here, ['persona', 'sample', 'people.csv', '-n', '100', '--json'])).out);
    expect(again.attributes.filter(({ gender }: { gender: string }) => gender === 'female')).toHaveLength(51);
    writeFileSync(
      join(here, 'raked.json'),
      '{"microdata":{"file":"people.csv","weight":"weight"},"attributes":{"gender":{"female":1,"male":3}}}',
    );
    const raked = JSON.parse((await ludus(here, ['persona', 'sample', 'raked.json', '-n', '100', '--json'])).out);
    expect(raked.attributes.filter(({ gender }: { gender: string }) => gender === 'female')).toHaveLength(25);
    const chance = await ludus(here, ['persona', 'sample', './spec.json', '-n', '200', '--chance']);
    expect(chance.out).toMatch(/χ² /);
    expect((await ludus(here, [...words, '--chance'])).err).toContain('--exact and --chance cannot be combined: --exact matches every');
    expect((await ludus(here, ['persona', 'sample', 'nobody.csv'])).err).toContain('nobody.csv cannot be read');
  });

  it('puts people of a population in the seats of plans, suites, and scenes', async () => {
    writeFileSync(join(here, 'folk.json'), '{"name":"Folk","attributes":{"mood":{"glad":1,"sad":1}}}');
    const spec = { name: 'folk', kind: 'llm:fake', population: { of: './folk.json', number: 4, seed: 2 } };
    const plan = { name: 'folk', environments: ['questionnaire'], casts: [{ interviewer: 'scripted', subject: spec }] };
    writeFileSync(join(here, 'folk-plan.json'), JSON.stringify(plan));
    const played = await ludus(here, ['run', 'folk-plan.json', '--store', 'folk.sqlite', '--yes', '--json']);
    expect(JSON.parse(played.out)).toMatchObject({ planned: 4, played: 4 });
    const again = await ludus(here, ['run', 'folk-plan.json', '--store', 'folk.sqlite', '--yes', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ planned: 4, played: 0, before: 4 });
    const suite = {
      name: 'folk',
      nulls: ['random'],
      seeds: 1,
      scenes: [
        {
          environment: 'questionnaire',
          seats: ['subject'],
          others: { '*': 'scripted' },
          personas: { subject: { population: { of: './folk.json', number: 3 } } },
        },
      ],
    };
    writeFileSync(join(here, 'folk-suite.json'), JSON.stringify(suite));
    const tested = await ludus(here, ['eval', 'folk-suite.json', '--agents', 'scripted:middle', '--store', 'folk.sqlite', '--json']);
    expect(JSON.parse(tested.out)).toMatchObject({ planned: 6, played: 6 });
    writeFileSync(
      join(here, 'folk-scene.json'),
      JSON.stringify({ topic: 'rain', characters: [{ population: { of: './folk.json', number: 3 } }] }),
    );
    const scene = await ludus(here, ['play', 'scene', 'folk-scene.json', '--seed', '1', '--json']);
    expect(Object.keys(JSON.parse(scene.out).personas)).toHaveLength(3);
    writeFileSync(join(here, 'folk-agent.json'), JSON.stringify(spec));
    const alone = await ludus(here, ['play', 'questionnaire', '--agents', './folk-agent.json', '--seed', '1']);
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('folk is a population') });
  });

  it('writes a valid file for each person', async () => {
    writeFileSync(
      join(here, 'town.json'),
      '{"attributes":{"gender":{"female":1,"male":1}},"quotas":[{"where":{"gender":"male"},"count":3}]}',
    );
    const { out } = await ludus(here, ['persona', 'sample', 'town.json', '-n', '8', '-o', 'town']);
    expect(out).toMatch(/male +50% +38% +3/);
    const files = readdirSync(join(here, 'town'));
    expect(files).toHaveLength(8);
    for (const file of files) parsePersona(JSON.parse(readFileSync(join(here, 'town', file), 'utf8')));
  });
});

describe('persona new', () => {
  it('creates a valid persona that uses its name', async () => {
    expect((await ludus(here, ['persona', 'new', 'Ann Archer'])).out).toContain('ann-archer.json');
    expect((await ludus(here, ['persona', 'check', 'ann-archer.json'])).code).toBe(0);
    expect((await ludus(here, ['persona', 'new', 'Ann Archer'])).err).toContain('ann-archer.json already exists');
    const like = await ludus(here, ['persona', 'new', 'Ned "Nix" Crow', '--like', 'villain', '-o', 'ned.json', '--json']);
    expect(JSON.parse(like.out)).toMatchObject({ name: 'Ned "Nix" Crow' });
    const ned = readFileSync(join(here, 'ned.json'), 'utf8');
    expect(ned).not.toContain('Cassian Vole');
    expect(parsePersona(JSON.parse(ned)).parent).toMatchObject({ id: 'villain', op: 'edit' });
  });

  it('drafts with a model, and reports a failure', async () => {
    const draft = JSON.stringify({ name: 'Olaf', statements: ['Olaf rows the ferry.'] });
    const done = await ludus(here, ['persona', 'new', '--describe', 'a ferryman', '--model', `fake/${draft}`, '--json']);
    expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(done.out)).toMatchObject({ file: 'olaf.json', name: 'Olaf' });
    const failed = await ludus(here, ['persona', 'new', '--describe', 'a ferryman', '--model', 'fake/no']);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('wrote no valid persona in 4 tries');
  });
});

it('persona import does not overwrite a file without --force', async () => {
  writeFileSync(join(here, 'mine.json'), 'mine');
  await ludus(here, ['persona', 'export', 'villain', '--to', 'card-v2', '-o', 'other.json']);
  const { code, out } = await ludus(here, ['persona', 'import', 'other.json', '-o', 'mine.json', '--json']);
  expect([code, JSON.parse(out).code]).toEqual([2, 'E_ALREADY_EXISTS']);
  expect(readFileSync(join(here, 'mine.json'), 'utf8')).toBe('mine');
  expect((await ludus(here, ['persona', 'import', 'other.json', '-o', 'mine.json', '--force'])).code).toBe(0);
});

it('persona check suggests the right name for a misspelled field', async () => {
  writeFileSync(join(here, 'misspelt.json'), JSON.stringify({ name: 'X', statments: ['X sings.'] }));
  const { code, out } = await ludus(here, ['persona', 'check', 'misspelt.json', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(out).problems.join()).toContain('statements');
});
