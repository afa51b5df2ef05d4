/** @file The other pages of the studio in a real browser: characters, drafts, models, runs, learning, boards; each looked at by an accessibility engine. */

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAgentLoader } from '../src/agents/kinds.ts';
import { run as runPlan } from '../src/engine/run.ts';
import { builtInEnvironment } from '../src/environments/index.ts';
import { exportPersona, parsePersona } from '../src/personas/index.ts';
import type { TrainingDetail } from '../src/servers/studio/api.ts';
import { openStore } from '../src/store/index.ts';
import {
  accessibility,
  callStudio,
  enter,
  noBrowser,
  openBrowser,
  type RunningStudio,
  removeFolder,
  startStudio,
  studioFolder,
  visit,
  widerThan,
} from './browser.ts';
import { delta, ending, json, scriptedServer, whole } from './fixtures/scripted-server.ts';
import { until } from './fixtures/until.ts';

if (noBrowser !== null) console.log(`The pages of the studio are not tested in a browser: ${noBrowser}.`);

let browser: Browser;
let studio: RunningStudio;
let page: Page & { readonly problems: string[] };

/** Two runs to look at: one with more episodes than a page of the table, one that is an arena. */
async function played(cwd: string): Promise<void> {
  mkdirSync(join(cwd, '.ludus'));
  const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
  const play = (name: string, count: number) =>
    runPlan(
      {
        name,
        environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
        seeds: { from: 0, count },
        casts: [{ '*': 'random' }, { first: 'scripted:honest', second: 'random' }],
        swap: true,
      },
      { store, environment: (id) => builtInEnvironment(id), agent: createAgentLoader({}), signal: new AbortController().signal },
    );
  await play('baseline', 250);
  await play('arena-kuhn-poker-1234', 20);
  await store.close();
}

beforeAll(async () => {
  if (noBrowser !== null) return;
  const cwd = studioFolder();
  await played(cwd);
  [browser, studio] = await Promise.all([openBrowser(), startStudio(cwd)]);
  await entered();
});

afterAll(async () => {
  await browser?.close();
  await studio?.kill();
  if (studio !== undefined) removeFolder(studio.cwd);
});

afterEach(() => {
  if (noBrowser === null) expect(page.problems.splice(0)).toEqual([]);
});

async function entered(): Promise<void> {
  page = await enter(await browser.newContext({ viewport: { width: 1280, height: 900 } }), studio);
  page.on('dialog', (dialog) => {
    page.problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Drops a file onto the import zone, as a hand would. */
async function drop(bytes: Uint8Array, name: string, type: string): Promise<void> {
  // As text: what runs in the browser has other names than what runs here.
  const [content, called, kind] = [Buffer.from(bytes).toString('base64'), name, type].map((one) => JSON.stringify(one));
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(${content}), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], ${called}, { type: ${kind} }));
    return transfer;
  })()`);
  await page.dispatchEvent('.drop', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
}

describe.skipIf(noBrowser !== null)('characters', () => {
  const hostile = parsePersona({
    name: '<img src=x onerror="window.stolen=1">',
    nickname: '"><script>window.stolen=2</script>',
    tags: ['</style><svg onload=window.stolen=3>'],
    identity: { social: { occupation: { title: 'javascript:window.stolen=4' } } },
    statements: ['</textarea><iframe src="javascript:window.stolen=5"></iframe>'],
    relations: [{ to: '<a href="javascript:window.stolen=6">you</a>', role: '{{user}}' }],
    voice: { greetings: ['<b>Hello</b> <a href="https://evil.example/">click</a>'] },
  });

  it('takes in a card that is dropped, whatever its fields try to be', async () => {
    await visit(page, studio, '/personas');
    await shown('Marta Rook');
    await drop(exportPersona(hostile, 'png'), 'card.png', 'image/png');
    await page.getByRole('heading', { level: 1, name: hostile.name }).waitFor();
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.locator('.said').getByText('<b>Hello</b>').waitFor();
    await visit(page, studio, '/personas');
    await page.getByRole('link', { name: hostile.name }).waitFor();
    const harm = await page.evaluate(
      `[globalThis.stolen, document.querySelectorAll('iframe, [onerror], [onload], a[href^="javascript"], a[href*="evil"]').length]`,
    );
    expect(harm).toEqual([undefined, 0]);
    const picture = page.locator('img.avatar').first();
    expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(0);
  });

  it('says in one sentence why a file is no card', async () => {
    await visit(page, studio, '/personas');
    await drop(new TextEncoder().encode('{"what": 1}'), 'card.json', 'application/json');
    await page.getByRole('alert').filter({ hasText: 'No known format' }).waitFor();
  });

  it('edits, checks, saves as one’s own, and keeps the gallery as it is', async () => {
    await visit(page, studio, '/persona/gallery/innkeeper');
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('alert').filter({ hasText: 'name must be' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save as my own' }).isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Marta Brook');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('Secrets', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a secret' }).click();
    await page.getByRole('button', { name: 'Save as my own' }).click();
    await page.waitForURL(/persona\/own\/innkeeper-2/);
    await page.getByRole('heading', { level: 1, name: 'Marta Brook' }).waitFor();
    const kept = JSON.parse(readFileSync(join(studio.cwd, '.ludus/personas/innkeeper-2.json'), 'utf8')) as { parent?: { id: string } };
    expect(kept.parent?.id).toBe('innkeeper');
    await page.getByLabel('Nickname').fill('Brookie');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('version 1.0.1').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Marta Brook' }).waitFor();
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Brookie');
    await visit(page, studio, '/persona/gallery/innkeeper');
    await page.getByRole('heading', { level: 1, name: 'Marta Rook' }).waitFor();
  });

  it('refuses to overwrite what a second tab has saved meanwhile', async () => {
    await visit(page, studio, '/persona/own/innkeeper-2');
    await page.getByLabel('Nickname').waitFor();
    const second = await page.context().newPage();
    await visit(second, studio, '/persona/own/innkeeper-2');
    await second.getByLabel('Nickname').fill('Other');
    await second.getByRole('button', { name: 'Save', exact: true }).click();
    await second.getByText('version 1.0.2').waitFor();
    await second.close();
    await page.getByLabel('Nickname').fill('Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'changed elsewhere' }).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  it('talks, and says why it said that', async () => {
    await visit(page, studio, '/persona/gallery/innkeeper');
    const chat = page.getByRole('region', { name: 'Test chat' });
    await chat.getByLabel('What you say').fill('Who are you, and what is this place?');
    await chat.getByRole('button', { name: 'Say' }).click();
    await chat.locator('li.user').waitFor();
    await chat.getByText('Why did it say that?').last().click();
    await chat.getByText('Rests on').or(chat.getByText('Nothing in particular')).first().waitFor();
    await chat.getByLabel('What you say').fill('Do you have a room?');
    await chat.getByLabel('What you say').press('Enter');
    await chat.locator('li.character').nth(2).waitFor();
  });

  it('chats word by word: own words at once, stop, another answer, other words, settings, search, and what is typed stays', async () => {
    const pieces: (() => void)[] = [];
    let answers = 0;
    const model = await scriptedServer(async (response, { url }) => {
      if (!url.endsWith('/chat/completions')) return void response.writeHead(404).end();
      answers++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta(`SPEECH: So. *Softly.* The quince number ${answers} `));
      await new Promise<void>((resolve) => pieces.push(resolve));
      response.end(`${delta('is ripe. <img src=x onerror=alert(1)>')}${ending}`);
    });
    await visit(page, studio, '/');
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('link', { name: 'Chat', exact: true }).and(page.locator('[aria-current=page]')).waitFor();
    await page.getByLabel('Played by').fill(`${model.url}#tiny`);
    await page
      .getByRole('region', { name: 'Begin a conversation' })
      .getByRole('button', { name: /Marta Rook/ })
      .click();
    const box = page.getByLabel('What you say');
    const said = page.getByRole('list', { name: 'What was said' });
    await box.fill('What of the **garden**?');
    await box.press('Enter');
    // One's own words at once, the others' as they are written, with the marks that people write and no others.
    await said.locator('li.user strong').getByText('garden').waitFor();
    await said.getByText('The quince number 1').waitFor();
    expect(await said.locator('em').last().textContent()).toBe('Softly.');
    pieces.shift()!();
    await said.getByText('is ripe. <img src=x onerror=alert(1)>').waitFor();
    expect(await said.locator('img').count()).toBe(0);
    await said.getByRole('button', { name: 'Another answer' }).click();
    await said.getByText('The quince number 2').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await said.getByText('2 / 2').waitFor();
    expect(await said.getByText('is ripe').count()).toBe(0);
    await said.getByRole('button', { name: 'The way before' }).click();
    await said.getByText('The quince number 1').waitFor();
    await said.getByRole('button', { name: 'Write this answer yourself' }).click();
    await said.getByLabel('Other words').fill('I am a teapot.');
    await said.getByRole('button', { name: 'Go on from here' }).click();
    await said.getByText('edited by you').waitFor();
    await said.getByText('3 / 3').waitFor();
    const before = page.url();
    await said.getByRole('button', { name: 'Take this and what follows back' }).click();
    await page.waitForURL((url) => url.href !== before);
    await said.locator('li.user').waitFor({ state: 'detached' });
    await page.getByLabel('Author’s note').fill('Be brief.');
    await page.getByRole('combobox', { name: 'How freely it speaks' }).selectOption('strict');
    await page.getByRole('button', { name: 'Hold it so from here on' }).click();
    await page.getByRole('button', { name: 'Hold it so from here on', disabled: true }).waitFor();
    await box.fill('Half a word');
    await page.getByLabel('Search what was said').fill('teapot');
    await page.getByRole('navigation', { name: 'Conversations' }).getByText('I am a teapot.').waitFor();
    await page.reload();
    await box.waitFor();
    expect([await box.inputValue(), await page.getByLabel('Author’s note').inputValue()]).toEqual(['Half a word', 'Be brief.']);
    await box.press('Enter');
    await said.getByText('The quince number 3').waitFor();
    pieces.at(-1)!();
    await said.getByText('is ripe').waitFor();
    const asked = model.seen.at(-1)!.body;
    expect([asked['temperature'], JSON.stringify(asked).includes('Be brief.')]).toEqual([0.3, true]);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByLabel('Played by').fill('');
    await page.getByRole('button', { name: 'Hold it so from here on' }).click();
    await page.getByText('No model is at work: Marta Rook answers with lines from its card.').waitFor();
    await page.evaluate('localStorage.clear()');
    await model.close();
  });

  it('draws a population, and shows what was wanted beside what came', async () => {
    await visit(page, studio, '/population');
    await page.getByRole('img', { name: /^gender: / }).waitFor();
    expect(await page.locator('.margin').count()).toBe(6);
    await page.getByRole('spinbutton', { name: 'People' }).fill('50');
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('heading', { name: 'How 50 people are spread' }).waitFor();
    await page.getByText('What the population shall be').click();
    await page.getByLabel(/Shares, joint tables/).fill('{"attributes": {"pet": {}}}');
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('creates from a template, and puts a scene on the stage', async () => {
    await visit(page, studio, '/create');
    await page.getByLabel('Name, if it matters').fill('Ann Archer');
    await page.getByRole('button', { name: 'Begin with Everything once' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ann Archer' }).waitFor();
    await visit(page, studio, '/create?what=scene');
    await page.getByRole('button', { name: 'Begin with A favour' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await shown('2 characters for 12 turns: Beatrix Hollow, Tomas Quill.');
    await page.getByRole('button', { name: 'Put it on the stage' }).click();
    await page.waitForURL(/#\/e\//);
    await shown('Beatrix Hollow');
  });
});

describe.skipIf(noBrowser !== null)('models', () => {
  it('tests one, holds a budget, and never shows a key', async () => {
    await visit(page, studio, '/models');
    await page.getByLabel('Test a model').fill('fake/yes');
    await page.getByRole('button', { name: 'Ask it one word' }).click();
    await shown(/fake\/yes: answered "yes"/);
    const mistral = page.locator('.reach li').filter({ hasText: 'mistral/' });
    await mistral.getByText('no key').waitFor();
    await page.getByRole('textbox', { name: 'Key for MISTRAL_API_KEY' }).fill('sk-secret-secret');
    await page.getByRole('button', { name: 'Keep the key for MISTRAL_API_KEY' }).click();
    await page.getByRole('button', { name: 'Forget the key for MISTRAL_API_KEY' }).waitFor();
    await mistral.getByText('no key').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('sk-secret');
    expect(statSync(join(studio.cwd, '.ludus', 'keys.json')).mode & 0o777).toBe(0o600);
    await page.getByRole('button', { name: 'Forget the key for MISTRAL_API_KEY' }).click();
    await page.getByRole('button', { name: 'Forget the key for MISTRAL_API_KEY' }).waitFor({ state: 'detached' });
    // A server by a name of one's own: with its own key, what it offers, one question, and its models wherever one is chosen.
    const server = await scriptedServer((response, { url, headers }) => {
      if (headers.authorization !== 'Bearer sk-home') response.writeHead(401).end();
      else if (url.endsWith('/models')) json(200, { data: [{ id: 'tiny' }, { id: 'large' }] })(response, {} as never, {} as never);
      else if (url.endsWith('/chat/completions')) whole('yes')(response, {} as never, {} as never);
      else response.writeHead(404).end();
    });
    const another = page.getByRole('form', { name: 'Another endpoint' });
    await another.getByLabel('Name').fill('home');
    await another.getByLabel('Address').fill(server.url);
    await another.getByLabel('Its own key').fill('sk-home');
    await another.getByRole('button', { name: 'Keep this endpoint' }).click();
    const endpoints = page.getByRole('region', { name: 'Endpoints' });
    await endpoints.getByText('2 models').waitFor();
    await endpoints.getByRole('button', { name: 'Test home' }).click();
    await endpoints.getByText(/home\/tiny: answered "yes"/).waitFor();
    expect(readFileSync(join(studio.cwd, '.ludus', 'endpoints.json'), 'utf8')).not.toContain('sk-home');
    await visit(page, studio, '/play?world=tic-tac-toe&O=llm:home/tiny');
    await page.locator('datalist option[value="home/large"]').first().waitFor({ state: 'attached' });
    await visit(page, studio, '/models');
    await endpoints.getByRole('button', { name: 'Forget home' }).click();
    await endpoints.getByText('2 models').waitFor({ state: 'detached' });
    await server.close();
    await page.getByLabel('Dollars, at most').fill('2.5');
    await page.getByRole('button', { name: 'Hold to this' }).click();
    await page.reload();
    await page.getByLabel('Dollars, at most').waitFor();
    expect(await page.getByLabel('Dollars, at most').inputValue()).toBe('2.5');
  });
});

describe.skipIf(noBrowser !== null)('runs', () => {
  it('shows hundreds of episodes of which few exist, reads on as one scrolls, and filters by address', async () => {
    await visit(page, studio, '/runs');
    await page.getByRole('link', { name: 'baseline' }).waitFor();
    await shown('200 episodes read');
    expect(await page.locator('.episode').count()).toBeLessThan(60);
    await until(async () => {
      await page.locator('.episodes .frame').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      return (await page.getByText(/[4-8]\d\d episodes read/).count()) > 0;
    });
    await page.getByLabel('Agent').fill('scripted:honest');
    await page.waitForURL(/agent=scripted/);
    await page.getByLabel('Ended').selectOption('error');
    await shown('No episode fits.');
  });

  it('shows a run with plots, standings and words, and compares two agents', async () => {
    await visit(page, studio, '/run/baseline');
    await page.getByRole('img', { name: /^Mean return of each agent/ }).waitFor();
    await page.getByRole('img', { name: /^Returns of random/ }).waitFor();
    await shown('Who is stronger');
    // What intervals speak about is chosen by a control, and stands in the address.
    const over = page.getByRole('combobox', { name: 'Intervals over' });
    await over.selectOption('tasks');
    await page.waitForURL(/over=tasks/);
    // One task cannot speak about others: the sentence says so, and the choice stays at hand.
    await shown(/An interval over tasks needs two tasks/);
    await over.selectOption('seeds');
    await page.waitForURL(/over=seeds/);
    await shown(/Intervals speak about new seeds/);
    await page.getByRole('link', { name: 'Compare agents' }).click();
    await shown(/paired episodes/);
    await page.getByRole('img', { name: /^Paired differences/ }).waitFor();
    await page.getByLabel('The other').fill('nobody');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('alert').filter({ hasText: 'nobody' }).waitFor();
  });

  it('says when the server is gone, and goes on by itself when it is back, wherever it was in its reading', async () => {
    // The table of episodes is asked for only once the server is gone; the list above it has come before.
    let release = () => {};
    const gone = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/runs/episodes?*', async (route) => {
      await gone;
      await route.continue();
    });
    await visit(page, studio, '/runs');
    await page.getByRole('link', { name: 'baseline' }).waitFor();
    const { port } = new URL(studio.url);
    await studio.kill();
    release();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    studio = await startStudio(studio.cwd, Number(port));
    await page.getByText('The server does not answer').waitFor({ state: 'detached' });
    await shown(/\d+ episodes read/);
    await page.unroute('**/api/runs/episodes?*');
  });
});

describe.skipIf(noBrowser !== null)('learning', () => {
  it('trains while one looks, says in plain words how far it is, and deals the first hand with one press', async () => {
    await visit(page, studio, '/training');
    await page.getByLabel('Recipe').selectOption('kuhn-tabular');
    await page.getByLabel('Games').fill('200000');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL(/training\/kuhn-tabular-1/);
    await page.locator('figure.plot canvas').first().waitFor();
    await page.getByText('12 decisions.').waitFor();
    expect(await page.locator('table.policy tbody tr').count()).toBe(12);
    // The table says which checkpoint it is, and of when; it is the one that was written last.
    await page.getByText('training', { exact: true }).waitFor({ state: 'detached' });
    const { checkpoints } = await callStudio<TrainingDetail>(studio, '/api/training/of/kuhn-tabular-1');
    const best = checkpoints.find(({ name }) => name === 'best')?.update ?? 0;
    await page.getByText(`The checkpoint best, as it was after update ${best.toLocaleString('en')}.`).waitFor();
    await page.getByRole('link', { name: 'In plain words' }).click();
    await page.getByText(/plays at random loses 0\.458, and 0 cannot be beaten/).waitFor();
    expect(await page.locator('.plots.wide canvas').count()).toBe(1);
    // Home leads there as well.
    await visit(page, studio, '/');
    await page.getByRole('button', { name: 'Sit down against your pupil' }).click();
    await page.waitForURL(/#\/seat\//);
    await page.getByText('You play against local/kuhn-tabular-1@last on second.').waitFor();
    await shown(/Your card/);
    // Trained ones are offered by their names, and no word that only says how a name is written.
    await visit(page, studio, '/play?world=kuhn-poker');
    const options = page.getByRole('combobox', { name: 'second', exact: true }).locator('option');
    await options.filter({ hasText: 'trained: kuhn-tabular-1 (best)' }).waitFor({ state: 'attached' });
    const offered = await options.allTextContents();
    expect(offered.filter((one) => /RUN|URL|COMMAND|MODEL/.test(one))).toEqual([]);
  });

  it('improves while one looks, and goes back to a candidate', async () => {
    await visit(page, studio, '/improving');
    await page.getByLabel('Engine').selectOption('gepa');
    await page.getByLabel('Calls').fill('120');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL(/improving\/instruction-demo/);
    await page.getByRole('heading', { name: 'Report on fresh tasks' }).waitFor();
    const start = page.getByRole('link', { name: /^Candidate .*not judged/ }).first();
    await start.press('Enter');
    await shown('The start');
    await page.getByRole('button', { name: 'Put the run back to this' }).click();
    await shown('(rolled back)');
    await page
      .getByRole('link', { name: /^Candidate .*(accepted|rejected)/ })
      .first()
      .press('Enter');
    await page.locator('.diff li').first().waitFor();
  });
});

describe.skipIf(noBrowser !== null)('boards', () => {
  it('ranks who has met, and grades a judge', async () => {
    await visit(page, studio, '/boards');
    await page.getByLabel('Rubric').selectOption('coser');
    await page.getByLabel('Judge').fill('fake:constant');
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByText('grade C').waitFor();
    await page.getByRole('link', { name: 'Kuhn poker' }).click();
    await shown('Who is stronger');
    await page.getByRole('img', { name: /^Rating/ }).waitFor();
  });
});

describe.skipIf(noBrowser !== null)('every page', () => {
  const places = [
    ['/personas', 'Marta Rook'],
    ['/persona/gallery/beatrix', 'Talk with'],
    ['/population', 'Some of them'],
    ['/chat', 'Who would you like to talk with?'],
    ['/lesson/kuhn-tabular-1', 'How it plays now'],
    ['/create', 'Templates'],
    ['/create?what=scene', 'A favour'],
    ['/models', 'Prices'],
    ['/runs', 'episodes read'],
    ['/run/baseline', 'Who is stronger'],
    ['/compare?a=random&b=scripted:honest&run=baseline', 'paired episodes'],
    ['/training', 'Begin a training'],
    ['/training/kuhn-tabular-1', '12 decisions'],
    ['/improving', 'Begin an improvement'],
    ['/boards', 'Trust cards'],
    ['/board/arena-kuhn-poker-1234', 'Who is stronger'],
    ['/fleet', 'Nobody works on this store'],
    ['/run/nothing', 'Not found'],
  ] as const;

  it.each(places)('%s is fit for everybody, in light and dark, and for a phone', async (place, word) => {
    await visit(page, studio, place);
    await shown(word);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 380)).toBeLessThanOrEqual(0);
  });
});
