/** @file Characters in a browser: cards, the editor, a talk next to it, populations, drafts. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportPersona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, visit, widerThan } from '../browser.ts';
import { countClicks, open, page, shown, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

/** Drops a file onto the import zone, as a hand would. */
async function drop(bytes: Uint8Array, name: string, type: string): Promise<void> {
  // As text: what runs in the browser has other names than what runs here.
  const [content, called, kind] = [Buffer.from(bytes).toString('base64'), name, type].map((item) => JSON.stringify(item));
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(${content}), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], ${called}, { type: ${kind} }));
    return transfer;
  })()`);
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('h1', 'drop', { dataTransfer: data });
}

describe.skipIf(noBrowser !== null)('the characters pages', () => {
  const hostile = parsePersona({
    name: '<img src=x onerror="window.stolen=1">',
    nickname: '"><script>window.stolen=2</script>',
    tags: ['</style><svg onload=window.stolen=3>'],
    identity: { social: { occupation: { title: 'javascript:window.stolen=4' } } },
    statements: ['</textarea><iframe src="javascript:window.stolen=5"></iframe>'],
    relations: [{ to: '<a href="javascript:window.stolen=6">you</a>', role: '{{user}}' }],
    voice: { greetings: ['<b>Hello</b> <a href="https://evil.example/">click</a>'] },
  });

  it('import a dropped card safely, even with hostile fields', async () => {
    await open('/personas');
    await shown('Marta Rook');
    await drop(exportPersona(hostile, 'png'), 'card.png', 'image/png');
    await page.getByRole('heading', { level: 1, name: hostile.name }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
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

  it('explain in one sentence why a file is not a card', async () => {
    await open('/personas');
    await drop(new TextEncoder().encode('{"what": 1}'), 'card.json', 'application/json');
    await page.getByRole('alert').filter({ hasText: 'Unknown format' }).waitFor();
  });

  it('edit, validate, and save a copy while leaving the gallery unchanged', async () => {
    await open('/persona/gallery/innkeeper');
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('alert').filter({ hasText: 'name must be' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save a copy' }).isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Marta Brook');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('Secrets', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a secret' }).click();
    await page.getByRole('button', { name: 'Save a copy' }).click();
    await page.waitForURL(/persona\/own\/innkeeper-2/);
    await page.getByRole('heading', { level: 1, name: 'Marta Brook' }).waitFor();
    const saved = JSON.parse(readFileSync(join(studio.cwd, '.ludus/personas/innkeeper-2.json'), 'utf8')) as { parent?: { id: string } };
    expect(saved.parent?.id).toBe('innkeeper');
    await page.getByLabel('Nickname').fill('Brookie');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('version 1.0.1').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Marta Brook' }).waitFor();
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Brookie');
    await open('/persona/gallery/innkeeper');
    await page.getByRole('heading', { level: 1, name: 'Marta Rook' }).waitFor();
  });

  it('start the editor with essentials, try the lorebook, report gaps and export losses, and undo', async () => {
    await open('/persona/gallery/beatrix');
    const description = page.getByLabel('Description');
    const before = await description.inputValue();
    await description.fill('She keeps bees.\nShe owes nobody.');
    await page.getByLabel('Greeting').fill('Mind the hives.');
    await page.getByRole('button', { name: 'Clear Agreeableness' }).click();
    await page.getByText('not set').waitFor();
    await page.getByText('Lorebook', { exact: true }).click();
    const book = page.locator('details.part').filter({ hasText: 'Lorebook' });
    const entries = await book.locator('fieldset').count();
    await book.getByRole('button', { name: 'Add an entry' }).click();
    const entry = book.locator('fieldset').nth(entries);
    await entry.getByLabel('Keys', { exact: true }).fill('honey, comb');
    await entry.getByLabel('Content').fill('The honey was poisoned in ninety-one.');
    await book.getByLabel('Test message').fill('Is there honey?');
    await book.getByRole('button', { name: 'Show active entries' }).click();
    await book.getByText('The honey was poisoned').last().waitFor();
    await book.getByText('the key “honey”').waitFor();
    await book.getByLabel('Test message').fill('Is there jam?');
    await book.getByRole('button', { name: 'Show active entries' }).click();
    await book.getByText('the key “honey”').waitFor({ state: 'detached' });
    await page.getByLabel('Export as').selectOption('card-v1');
    await page.getByText(/\d+ fields would be lost/).waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.reload();
    await description.waitFor();
    expect(await description.inputValue()).toBe('She keeps bees.\nShe owes nobody.');
    await page.getByLabel('Greeting').fill('Go away.');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Mind the hives.');
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Go away.');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => (await description.inputValue()) === before);
  });

  it('refuse to overwrite changes saved in a second tab', async () => {
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

  it('chat with a character and explain its answer', async () => {
    await open('/persona/gallery/innkeeper');
    const chat = page.getByRole('region', { name: 'Test chat' });
    await chat.getByLabel('What you say').fill('Who are you, and what is this place?');
    await chat.getByRole('button', { name: 'Send' }).click();
    await chat.locator('li.user').waitFor();
    await chat.getByText('Why did it say that?').last().click();
    await chat.getByText('Based on').or(chat.getByText('Nothing in particular')).first().waitFor();
    await chat.getByLabel('What you say').fill('Do you have a room?');
    await chat.getByLabel('What you say').press('Enter');
    await chat.locator('li.character').nth(2).waitFor();
    // On a phone one talks first, and edits below.
    await page.setViewportSize({ width: 390, height: 844 });
    // Both places are read of one drawing: an answer may still be coming in, and moves what is below it.
    const name = await page.getByLabel('Name', { exact: true }).elementHandle();
    const isAbove = () => chat.evaluate((talk, below) => talk.getBoundingClientRect().bottom <= below!.getBoundingClientRect().top, name);
    await expect.poll(isAbove).toBe(true);
  });

  it('show the picture of a card and start with the chosen greeting', async () => {
    const greta = parsePersona({ name: 'Greta', voice: { greetings: ['Good day.', 'Well met, {{user}}.'] } });
    await open('/personas');
    await shown('Marta Rook');
    await drop(exportPersona(greta, 'png'), 'greta.png', 'image/png');
    await page.getByRole('heading', { level: 1, name: 'Greta' }).waitFor();
    await open('/chat?with=own/greta');
    const beginning = page.getByRole('region', { name: 'New conversation' });
    await beginning.getByRole('button', { name: 'Greta' }).click();
    const spokenLocator = page.getByRole('list', { name: 'Messages' });
    await spokenLocator.getByText('Good day.').waitFor();
    const face = spokenLocator.locator('li.character img.avatar');
    // Fails where the picture cannot be read.
    await face.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    const greetings = page.getByLabel('Greeting:');
    expect(await greetings.locator('option').count()).toBe(3);
    await greetings.selectOption('1');
    await spokenLocator.getByText('Well met, the visitor.').waitFor();
    expect(await spokenLocator.getByText('Good day.').count()).toBe(0);
    await page.getByLabel('What you say').fill('Hello.');
    await page.getByLabel('What you say').press('Enter');
    await spokenLocator.locator('li.character').nth(1).waitFor();
    await greetings.waitFor({ state: 'detached' });
    // A character without a picture has its letters.
    await open('/chat?with=gallery/innkeeper');
    await beginning.getByRole('button', { name: /Marta Rook/ }).click();
    await spokenLocator.locator('li.character span.avatar').getByText('MR').waitFor();
    expect(await face.count()).toBe(0);
    // On a phone there is room for what one says, whatever buttons stand next to it.
    await page.setViewportSize({ width: 390, height: 844 });
    expect((await page.getByLabel('What you say').boundingBox())!.width).toBeGreaterThan(200);
  });

  it('import a card once and number a character with a taken name', async () => {
    const twin = parsePersona({ name: 'Twin Tamsin', statements: ['Keeps bees.'] });
    const other = parsePersona({ name: 'Twin Tamsin', statements: ['Keeps goats.'] });
    const cards = page.getByRole('region', { name: 'Your characters' }).getByRole('link', { name: 'Twin Tamsin' });
    const take = async (persona: typeof twin) => {
      await open('/personas');
      await shown('Marta Rook');
      await drop(exportPersona(persona, 'png'), 'twin.png', 'image/png');
    };
    await take(twin);
    await page.getByRole('heading', { level: 1, name: 'Twin Tamsin' }).waitFor();
    await take(twin);
    await page.getByRole('status').getByRole('link', { name: 'Open' }).waitFor();
    expect(await cards.allTextContents()).toEqual(['Twin Tamsin']);
    await take(other);
    await page.getByRole('heading', { level: 1, name: 'Twin Tamsin' }).waitFor();
    await open('/personas');
    await until(async () => (await cards.count()) === 2);
    expect((await cards.allTextContents()).sort()).toEqual(['Twin Tamsin', 'Twin Tamsin (2)']);
  });

  it('draw a population and show the target next to the sample', async () => {
    await open('/population');
    await page.getByRole('img', { name: /^gender: / }).waitFor();
    expect(await page.locator('.margin').count()).toBe(6);
    await page.getByRole('spinbutton', { name: 'People' }).fill('50');
    await page.getByRole('button', { name: 'Sample', exact: true }).click();
    await page.getByRole('heading', { name: 'Distribution of 50 people' }).waitFor();
    // Shares are a form; the document follows it.
    await page.getByText('Demographics').click();
    await page.getByLabel('Weight of gender female').fill('100');
    await page.getByRole('button', { name: 'Leave out gender non-binary' }).click();
    await page.getByRole('button', { name: 'Leave out gender male' }).click();
    await page.getByRole('button', { name: 'Sample', exact: true }).click();
    await page.getByRole('img', { name: 'gender: female target 100%, sample 100%' }).waitFor();
    await page.getByText('Specification').click();
    await page.getByLabel(/Shares, joint tables/).fill('{"attributes": {"pet": {}}}');
    await page.getByRole('button', { name: 'Sample', exact: true }).click();
    await page.getByRole('alert').waitFor();
  });

  it('create a character from a template and start a scene', async () => {
    await open('/create');
    await page.getByLabel('Name, if it matters').fill('Ann Archer');
    await page.getByRole('button', { name: 'Use template: Full example' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ann Archer' }).waitFor();
    await open('/create?what=scene');
    await page.getByRole('button', { name: 'Use template: A favour' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await shown('2 characters for 12 turns: Beatrix Hollow, Tomas Quill.');
    await page.getByRole('button', { name: 'Play scene' }).click();
    await page.waitForURL(/#\/e\//);
    await shown('Beatrix Hollow');
  });
});
