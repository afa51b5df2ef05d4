/** @file Characters in a browser: cards, the editor, chats, populations, drafts. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportPersona, parsePersona } from '../../src/personas/index.ts';
import { accessibility, noBrowser, visit, widerThan } from '../browser.ts';
import { delta, ending, scriptedServer } from '../fixtures/scripted-server.ts';
import { begin, countClicks, open, page, poker, shown, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

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
    await open('/personas');
    await shown('Marta Rook');
    await drop(exportPersona(hostile, 'png'), 'card.png', 'image/png');
    await page.getByRole('heading', { level: 1, name: hostile.name }).waitFor();
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.locator('.said').getByText('<b>Hello</b>').waitFor();
    // From a dropped card to the first answer: one click into the box, words, Enter.
    await open('/personas');
    await shown('Marta Rook');
    const clicks = await countClicks();
    const dora = exportPersona(parsePersona({ name: 'Dropped Dora' }), 'card-v2');
    await drop(new TextEncoder().encode(JSON.stringify(dora)), 'dora.json', 'application/json');
    await page.getByRole('heading', { level: 1, name: 'Dropped Dora' }).waitFor();
    const chat = page.getByRole('region', { name: 'Test chat' });
    await chat.getByLabel('What you say').click();
    await page.keyboard.type('Who are you?');
    await page.keyboard.press('Enter');
    await chat.locator('li.user').waitFor();
    await chat.locator('li.character').last().locator('.why').waitFor();
    expect(await clicks()).toBe(1);
    await open('/personas');
    await page.getByRole('link', { name: hostile.name }).waitFor();
    const harm = await page.evaluate(
      `[globalThis.stolen, document.querySelectorAll('iframe, [onerror], [onload], a[href^="javascript"], a[href*="evil"]').length]`,
    );
    expect(harm).toEqual([undefined, 0]);
    const picture = page.locator('img.avatar').first();
    expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(0);
  });

  it('says in one sentence why a file is no card', async () => {
    await open('/personas');
    await drop(new TextEncoder().encode('{"what": 1}'), 'card.json', 'application/json');
    await page.getByRole('alert').filter({ hasText: 'No known format' }).waitFor();
  });

  it('edits, checks, saves as one’s own, and keeps the gallery as it is', async () => {
    await open('/persona/gallery/innkeeper');
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
    await open('/persona/gallery/innkeeper');
    await page.getByRole('heading', { level: 1, name: 'Marta Rook' }).waitFor();
  });

  it('begins with a description and first words, tries the lorebook, says what is not set and what an export loses, and goes back step by step', async () => {
    await open('/persona/gallery/beatrix');
    const description = page.getByLabel('Description');
    const before = await description.inputValue();
    await description.fill('She keeps bees.\nShe owes nobody.');
    await page.getByLabel('First words').fill('Mind the hives.');
    await page.getByRole('button', { name: 'Clear Warm' }).click();
    await page.getByText('not set').waitFor();
    await page.getByText('Lorebook', { exact: true }).click();
    const book = page.locator('details.part').filter({ hasText: 'Lorebook' });
    const entries = await book.locator('fieldset').count();
    await book.getByRole('button', { name: 'Add an entry' }).click();
    const entry = book.locator('fieldset').nth(entries);
    await entry.getByLabel('Keys', { exact: true }).fill('honey, comb');
    await entry.getByLabel('What comes to mind').fill('The honey was poisoned in ninety-one.');
    await book.getByLabel('If somebody says').fill('Is there honey?');
    await book.getByRole('button', { name: 'What fires?' }).click();
    await book.getByText('The honey was poisoned').last().waitFor();
    await book.getByText('the key “honey”').waitFor();
    await book.getByLabel('If somebody says').fill('Is there jam?');
    await book.getByRole('button', { name: 'What fires?' }).click();
    await book.getByText('the key “honey”').waitFor({ state: 'detached' });
    await page.getByLabel('Export as').selectOption('card-v1');
    await page.getByText(/\d+ fields would not come back/).waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.reload();
    await description.waitFor();
    expect(await description.inputValue()).toBe('She keeps bees.\nShe owes nobody.');
    await page.getByLabel('First words').fill('Go away.');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.getByLabel('First words').inputValue()).toBe('Mind the hives.');
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await page.getByLabel('First words').inputValue()).toBe('Go away.');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => (await description.inputValue()) === before);
  });

  it('refuses to overwrite what a second tab has saved meanwhile', async () => {
    await open('/persona/own/innkeeper-2');
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
    await open('/persona/gallery/innkeeper');
    const chat = page.getByRole('region', { name: 'Test chat' });
    await chat.getByLabel('What you say').fill('Who are you, and what is this place?');
    await chat.getByRole('button', { name: 'Say' }).click();
    await chat.locator('li.user').waitFor();
    await chat.getByText('Why did it say that?').last().click();
    await chat.getByText('Rests on').or(chat.getByText('Nothing in particular')).first().waitFor();
    await chat.getByLabel('What you say').fill('Do you have a room?');
    await chat.getByLabel('What you say').press('Enter');
    await chat.locator('li.character').nth(2).waitFor();
    // On a phone one talks first, and edits below.
    await page.setViewportSize({ width: 390, height: 844 });
    const [talk, name] = [await chat.boundingBox(), await page.getByLabel('Name', { exact: true }).boundingBox()];
    expect(talk!.y + talk!.height).toBeLessThanOrEqual(name!.y);
  });

  it('has the face that its card brought, and begins with the greeting that is chosen', async () => {
    const greta = parsePersona({ name: 'Greta', voice: { greetings: ['Good day.', 'Well met, {{user}}.'] } });
    await open('/personas');
    await shown('Marta Rook');
    await drop(exportPersona(greta, 'png'), 'greta.png', 'image/png');
    await page.getByRole('heading', { level: 1, name: 'Greta' }).waitFor();
    await open('/chat?with=own/greta');
    const beginning = page.getByRole('region', { name: 'Begin a conversation' });
    await beginning.getByRole('button', { name: 'Greta' }).click();
    const said = page.getByRole('list', { name: 'What was said' });
    await said.getByText('Good day.').waitFor();
    const face = said.locator('li.character img.avatar');
    // Fails where the picture cannot be read.
    await face.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    const greetings = page.getByLabel('It greets you with');
    expect(await greetings.locator('option').count()).toBe(3);
    await greetings.selectOption('1');
    await said.getByText('Well met, the visitor.').waitFor();
    expect(await said.getByText('Good day.').count()).toBe(0);
    await page.getByLabel('What you say').fill('Hello.');
    await page.getByLabel('What you say').press('Enter');
    await said.locator('li.character').nth(1).waitFor();
    await greetings.waitFor({ state: 'detached' });
    // A character without a picture has its letters.
    await open('/chat?with=gallery/innkeeper');
    await beginning.getByRole('button', { name: /Marta Rook/ }).click();
    await said.locator('li.character span.avatar').getByText('MR').waitFor();
    expect(await face.count()).toBe(0);
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
    await open('/');
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
    await page.getByLabel('Your name').fill('Rafe');
    await page.getByLabel('Who you are').fill('A tax collector.');
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
    const words = JSON.stringify(asked);
    expect([asked['temperature'], words.includes('Be brief.'), words.includes('About Rafe: A tax collector.')]).toEqual([0.3, true, true]);
    // The lorebook is edited beside the talk, holds from the next answer on, and what it called up is said with the key that did.
    expect(words).not.toContain('kept for the duke');
    const book = page.locator('details.lore');
    await book.getByText('Lorebook').click();
    await book.getByRole('button', { name: 'Add an entry' }).click();
    const entry = book.locator('fieldset').last();
    await entry.getByLabel('Keys', { exact: true }).fill('quince');
    await entry.getByLabel('What comes to mind').fill('Quinces are kept for the duke.');
    const hold = book.getByRole('button', { name: 'Call this up from here on' });
    await Promise.all([page.waitForResponse((response) => response.request().method() === 'PUT'), hold.click()]);
    await box.fill('One quince,');
    await box.press('Shift+Enter');
    await page.keyboard.type('and another.');
    await box.press('Enter');
    await said.getByText('The quince number 4').waitFor();
    pieces.at(-1)!();
    await said.getByText('is ripe').nth(1).waitFor();
    expect(await said.locator('li.user').last().innerText()).toMatch(/One quince,\s+and another\./);
    await said.locator('li.character').last().getByText('Why did it say that?').click();
    await said.getByText('the key “quince”').waitFor();
    expect(JSON.stringify(model.seen.at(-1)!.body)).toContain('kept for the duke');
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByLabel('Played by').fill('');
    await page.getByRole('button', { name: 'Hold it so from here on' }).click();
    await page.getByText('No model is at work: Marta Rook answers with lines from its card.').waitFor();
    await page.evaluate('localStorage.clear()');
    await model.close();
  });

  it('talks with several at once: each under its own name, only who is called answers, and a memory is added, rewritten and taken back', async () => {
    const asked: string[] = [];
    const model = await scriptedServer((response, { url, body }) => {
      if (!url.endsWith('/chat/completions')) return void response.writeHead(404).end();
      asked.push(JSON.stringify(body));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${delta(`SPEECH: Answer number ${asked.length}.`)}${ending}`);
    });
    // What the stage looks like was loaded before: it is no matter of a chat.
    await open(`/e/${await begin(poker)}`);
    await page.locator('.bubble').first().waitFor();
    await open('/chat');
    const beginning = page.getByRole('region', { name: 'Begin a conversation' });
    await beginning.getByLabel('Several at once').check();
    await page.getByLabel('Played by').fill(`${model.url}#tiny`);
    await beginning.getByRole('button', { name: /Marta Rook/ }).click();
    expect(await beginning.getByRole('button', { name: 'Choose two or more' }).isDisabled()).toBe(true);
    await beginning.getByRole('button', { name: /Beatrix Hollow/ }).click();
    await beginning.getByLabel('Who greets').selectOption('everybody');
    await beginning.getByLabel('Who answers').selectOption('listed');
    await beginning.getByRole('button', { name: 'Begin with 2' }).click();
    await page.getByRole('region', { name: 'Conversation with Marta Rook, Beatrix Hollow' }).waitFor();
    const said = page.getByRole('list', { name: 'What was said' });
    const box = page.getByLabel('What you say');
    // Both greet, and both answer as they were chosen, whoever is called.
    await box.fill('Beatrix?');
    await box.press('Enter');
    await said.getByText('Answer number 2.').waitFor();
    const pair = ['Marta Rook', 'Beatrix Hollow'];
    expect(await said.locator('li.character .speaker').allTextContents()).toEqual([...pair, ...pair]);
    // Words stand on one ground, one's own on another than those of others, and not on a second one within it, as on the stage.
    // Found and looked at in one go: what the page draws anew in between has no colours.
    const grounds = await said.evaluate((list) => {
      const { getComputedStyle } = globalThis as unknown as { getComputedStyle(one: unknown): { backgroundColor: string } };
      type Part = { readonly children: Iterable<unknown>; querySelectorAll(those: string): Iterable<Part> };
      return [...(list as unknown as Part).querySelectorAll('li .utterance')].map((one) =>
        [one, ...one.children].map((part) => getComputedStyle(part).backgroundColor),
      );
    });
    expect(new Set(grounds.map(([ground]) => ground)).size).toBe(2);
    expect(new Set(grounds.flatMap(([, ...within]) => within))).toEqual(new Set(['rgba(0, 0, 0, 0)']));
    // The usual way: the first greets, and who is called answers.
    asked.length = 0;
    await open('/chat');
    await beginning.getByLabel('Several at once').check();
    for (const name of pair) await beginning.getByRole('button', { name }).click();
    await beginning.getByRole('button', { name: 'Begin with 2' }).click();
    await said.getByText('Answer number 2.').waitFor({ state: 'detached' });
    await box.fill('Good evening.');
    await box.press('Enter');
    await said.getByText('Answer number 2.').waitFor();
    expect(await said.locator('li.character .speaker').allTextContents()).toEqual(['Marta Rook', ...pair]);
    await box.fill('What do you say, Beatrix?');
    await box.press('Enter');
    await said.getByText('Answer number 3.').waitFor();
    expect(await said.locator('li.character').last().locator('.speaker').textContent()).toBe('Beatrix Hollow');
    const memory = page.getByRole('region', { name: 'What it remembers' });
    await memory.getByLabel('Who').selectOption('Beatrix Hollow');
    await memory.getByLabel('Something more to remember').fill('A heron stole the honey.');
    await memory.getByRole('button', { name: 'Remember' }).click();
    await memory.getByText('from the next answer on').waitFor();
    await memory.getByRole('button', { name: 'Rewrite memory you1' }).click();
    await memory.getByLabel('Memory you1').fill('A goose stole the honey.');
    await memory.getByRole('button', { name: 'Keep' }).click();
    await memory.getByText('A goose stole the honey.').waitFor();
    await box.fill('Beatrix, who stole the honey?');
    await box.press('Enter');
    await said.getByText('Answer number 4.').waitFor();
    expect([asked.at(-1)?.includes('A goose stole the honey.'), asked.at(-1)?.includes('heron')]).toEqual([true, false]);
    await memory.getByRole('button', { name: 'Take memory you1 back' }).click();
    await memory.locator('s').getByText('A goose stole the honey.').waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.evaluate('localStorage.clear()');
    await model.close();
  });

  it('draws a population, and shows what was wanted beside what came', async () => {
    await open('/population');
    await page.getByRole('img', { name: /^gender: / }).waitFor();
    expect(await page.locator('.margin').count()).toBe(6);
    await page.getByRole('spinbutton', { name: 'People' }).fill('50');
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('heading', { name: 'How 50 people are spread' }).waitFor();
    // Shares are a form; the document follows it.
    await page.getByText('Who they shall be').click();
    await page.getByLabel('Weight of gender female').fill('100');
    await page.getByRole('button', { name: 'Leave out gender non-binary' }).click();
    await page.getByRole('button', { name: 'Leave out gender male' }).click();
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('img', { name: 'gender: female wanted 100 %, came 100 %' }).waitFor();
    await page.getByText('What the population shall be').click();
    await page.getByLabel(/Shares, joint tables/).fill('{"attributes": {"pet": {}}}');
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('creates from a template, and puts a scene on the stage', async () => {
    await open('/create');
    await page.getByLabel('Name, if it matters').fill('Ann Archer');
    await page.getByRole('button', { name: 'Begin with Everything once' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ann Archer' }).waitFor();
    await open('/create?what=scene');
    await page.getByRole('button', { name: 'Begin with A favour' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await shown('2 characters for 12 turns: Beatrix Hollow, Tomas Quill.');
    await page.getByRole('button', { name: 'Put it on the stage' }).click();
    await page.waitForURL(/#\/e\//);
    await shown('Beatrix Hollow');
  });
});
