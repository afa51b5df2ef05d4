/** @file The page Chat in a browser: one character or several, words as they are written, other ways, lorebook and memory. */

import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { delta, ending, scriptedServer } from '../fixtures/scripted-server.ts';
import { begin, open, page, poker } from '../fixtures/studio-page.ts';

describe.skipIf(noBrowser !== null)('a chat', () => {
  it('streams answers with stop, regenerate, edit, settings, and search, and keeps the draft', async () => {
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
    await page.getByRole('link', { name: 'Play', exact: true }).first().click();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('link', { name: 'Chat', exact: true }).and(page.locator('[aria-current=page]')).waitFor();
    await page.getByLabel('Model').fill(`${model.url}#tiny`);
    await page
      .getByRole('region', { name: 'New conversation' })
      .getByRole('button', { name: /Marta Rook/ })
      .click();
    const box = page.getByLabel('What you say');
    const spokenLocator = page.getByRole('list', { name: 'Messages' });
    const hiddenPart = () =>
      page.evaluate(
        `document.querySelector('.said details.why[open]').getBoundingClientRect().bottom - document.querySelector('.said').getBoundingClientRect().bottom`,
      ) as Promise<number>;
    await box.fill('What of the **garden**?');
    await box.press('Enter');
    // One's own words at once, the others' as they are written, with the marks that people write and no others.
    await spokenLocator.locator('li.user strong').getByText('garden').waitFor();
    await spokenLocator.getByText('The quince number 1').waitFor();
    expect(await spokenLocator.locator('em').last().textContent()).toBe('Softly.');
    pieces.shift()!();
    await spokenLocator.getByText('is ripe. <img src=x onerror=alert(1)>').waitFor();
    expect(await spokenLocator.locator('img').count()).toBe(0);
    await spokenLocator.getByRole('button', { name: 'Regenerate' }).click();
    await spokenLocator.getByText('The quince number 2').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await spokenLocator.getByText('2 / 2').waitFor();
    expect(await spokenLocator.getByText('is ripe').count()).toBe(0);
    await spokenLocator.getByRole('button', { name: 'Previous version' }).click();
    await spokenLocator.getByText('The quince number 1').waitFor();
    await spokenLocator.getByRole('button', { name: 'Edit this answer' }).click();
    await spokenLocator.getByLabel('New text').fill('I am a teapot.');
    await spokenLocator.getByRole('button', { name: 'Save and continue' }).click();
    await spokenLocator.getByText('edited by you').waitFor();
    await spokenLocator.getByText('3 / 3').waitFor();
    const before = page.url();
    await spokenLocator.getByRole('button', { name: 'Delete from here' }).click();
    await page.waitForURL((url) => url.href !== before);
    await spokenLocator.locator('li.user').waitFor({ state: 'detached' });
    await page.getByLabel('Author’s note').fill('Be brief.');
    await page.getByLabel('Your name').fill('Rafe');
    await page.getByRole('textbox', { name: 'About you' }).fill('A tax collector.');
    await page.getByRole('combobox', { name: 'Creativity' }).selectOption('strict');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Apply', disabled: true }).waitFor();
    // What fits together is one choice the next time.
    await page.getByText('Save as a preset').click();
    await page.getByLabel('Preset name').fill('customs');
    await page.getByRole('button', { name: 'Save preset' }).click();
    await page.getByLabel('Author’s note').fill('Be long.');
    await page.getByRole('combobox', { name: 'Preset' }).selectOption('customs');
    expect(await page.getByLabel('Author’s note').inputValue()).toBe('Be brief.');
    await box.fill('Half a word');
    await page.getByLabel('Search messages').fill('teapot');
    await page.getByRole('navigation', { name: 'Conversations' }).getByText('I am a teapot.').waitFor();
    await page.reload();
    await box.waitFor();
    expect([await box.inputValue(), await page.getByLabel('Author’s note').inputValue()]).toEqual(['Half a word', 'Be brief.']);
    await box.press('Enter');
    await spokenLocator.getByText('The quince number 3').waitFor();
    pieces.at(-1)!();
    await spokenLocator.getByText('is ripe').waitFor();
    const requestedBody = model.seen.at(-1)!.body;
    const bodyText = JSON.stringify(requestedBody);
    expect([requestedBody['temperature'], bodyText.includes('Be brief.'), bodyText.includes('About Rafe: A tax collector.')]).toEqual([
      0.3,
      true,
      true,
    ]);
    // The lorebook is edited next to the talk, holds starting with the next answer, and what it called up is said with the key that did.
    expect(bodyText).not.toContain('kept for the duke');
    const book = page.locator('details.lore');
    await book.getByText('Lorebook').click();
    await book.getByRole('button', { name: 'Add an entry' }).click();
    const entry = book.locator('fieldset').last();
    await entry.getByLabel('Keys', { exact: true }).fill('quince');
    await entry.getByLabel('Content').fill('Quinces are kept for the duke.');
    const hold = book.getByRole('button', { name: 'Apply the lorebook' });
    await Promise.all([page.waitForResponse((response) => response.request().method() === 'PUT'), hold.click()]);
    await box.fill('One quince,');
    await box.press('Shift+Enter');
    await page.keyboard.type('and another.');
    await box.press('Enter');
    await spokenLocator.getByText('The quince number 4').waitFor();
    pieces.at(-1)!();
    await spokenLocator.getByText('is ripe').nth(1).waitFor();
    expect(await spokenLocator.locator('li.user').last().innerText()).toMatch(/One quince,\s+and another\./);
    await spokenLocator.locator('li.character').last().getByText('Why did it say that?').click();
    await spokenLocator.getByText('the key “quince”').waitFor();
    // What was asked for is in view, not below the fold.
    await expect.poll(hiddenPart, { timeout: 20_000 }).toBeLessThan(2);
    expect(JSON.stringify(model.seen.at(-1)!.body)).toContain('kept for the duke');
    // The model writes in the person's place, and the character continues without words.
    await page.getByRole('button', { name: 'Write for me' }).click();
    await expect.poll(() => answers, { timeout: 20_000 }).toBe(5);
    pieces.at(-1)!();
    await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toContain('The quince number 5');
    await box.fill('');
    await page.getByRole('button', { name: 'Continue' }).click();
    await spokenLocator.getByText('The quince number 6').waitFor();
    pieces.at(-1)!();
    await spokenLocator.getByText('is ripe').nth(2).waitFor();
    expect(await spokenLocator.locator('li.user').count()).toBe(2);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByLabel('Model').fill('');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('No model: Marta Rook answers with lines from its card.').waitFor();
    await page.evaluate('localStorage.clear()');
    await model.close();
  });

  it('with several characters gives each its own name and memory, and only the addressed one answers', async () => {
    const requests: string[] = [];
    let released: Promise<void> | undefined;
    const model = await scriptedServer(async (response, { url, body }) => {
      if (!url.endsWith('/chat/completions')) return void response.writeHead(404).end();
      requests.push(JSON.stringify(body));
      await released;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${delta(`SPEECH: Answer number ${requests.length}.`)}${ending}`);
    });
    // What the stage looks like was loaded before: it is no matter of a chat.
    await open(`/e/${await begin(poker)}`);
    await page.locator('.bubble').first().waitFor();
    await open('/chat');
    const beginning = page.getByRole('region', { name: 'New conversation' });
    await beginning.getByLabel('Group chat').check();
    await page.getByLabel('Model').fill(`${model.url}#tiny`);
    await beginning.getByRole('button', { name: /Marta Rook/ }).click();
    expect(await beginning.getByRole('button', { name: 'Choose two or more' }).isDisabled()).toBe(true);
    await beginning.getByRole('button', { name: /Beatrix Hollow/ }).click();
    await beginning.getByLabel('Who greets').selectOption('everybody');
    await beginning.getByLabel('Who answers').selectOption('listed');
    await beginning.getByRole('button', { name: 'Start with 2' }).click();
    await page.getByRole('region', { name: 'Conversation with Marta Rook, Beatrix Hollow' }).waitFor();
    const spokenLocator = page.getByRole('list', { name: 'Messages' });
    const box = page.getByLabel('What you say');
    // Both greet, and both answer as they were chosen, whoever is called.
    await box.fill('Beatrix?');
    await box.press('Enter');
    await spokenLocator.getByText('Answer number 2.').waitFor();
    const pair = ['Marta Rook', 'Beatrix Hollow'];
    expect(await spokenLocator.locator('li.character .speaker').allTextContents()).toEqual([...pair, ...pair]);
    // Words are on one ground, one's own on another than those of others, and not on a second one within it, as on the stage.
    // Found and looked at in one go: what the page draws again in between has no colors.
    const grounds = await spokenLocator.evaluate((list) => {
      const { getComputedStyle } = globalThis as unknown as { getComputedStyle(item: unknown): { backgroundColor: string } };
      type Part = { readonly children: Iterable<unknown>; querySelectorAll(those: string): Iterable<Part> };
      return [...(list as unknown as Part).querySelectorAll('li .utterance')].map((otherPart) =>
        [otherPart, ...otherPart.children].map((part) => getComputedStyle(part).backgroundColor),
      );
    });
    expect(new Set(grounds.map(([ground]) => ground)).size).toBe(2);
    expect(new Set(grounds.flatMap(([, ...within]) => within))).toEqual(new Set(['rgba(0, 0, 0, 0)']));
    // The usual way: the first greets, and who is called answers.
    requests.length = 0;
    await open('/chat');
    await beginning.getByLabel('Group chat').check();
    for (const name of pair) await beginning.getByRole('button', { name }).click();
    await beginning.getByRole('button', { name: 'Start with 2' }).click();
    await spokenLocator.getByText('Answer number 2.').waitFor({ state: 'detached' });
    await box.fill('Good evening.');
    await box.press('Enter');
    await spokenLocator.getByText('Answer number 2.').waitFor();
    expect(await spokenLocator.locator('li.character .speaker').allTextContents()).toEqual(['Marta Rook', ...pair]);
    await box.fill('What do you say, Beatrix?');
    await box.press('Enter');
    await spokenLocator.getByText('Answer number 3.').waitFor();
    expect(await spokenLocator.locator('li.character').last().locator('.speaker').textContent()).toBe('Beatrix Hollow');
    const memory = page.getByRole('region', { name: 'Memories' });
    await memory.getByLabel('Who').selectOption('Beatrix Hollow');
    await memory.getByLabel('Add a memory').fill('A heron stole the honey.');
    await memory.getByRole('button', { name: 'Remember' }).click();
    await memory.getByText('starting with the next answer').waitFor();
    await memory.getByRole('button', { name: 'Rewrite memory you1' }).click();
    await memory.getByLabel('Memory you1').fill('A goose stole the honey.');
    await memory.getByRole('button', { name: 'Save' }).click();
    await memory.getByText('A goose stole the honey.').waitFor();
    await box.fill('Beatrix, who stole the honey?');
    await box.press('Enter');
    await spokenLocator.getByText('Answer number 4.').waitFor();
    expect([requests.at(-1)?.includes('A goose stole the honey.'), requests.at(-1)?.includes('heron')]).toEqual([true, false]);
    // Enter during an answer sends the words when it ends.
    const answer = Promise.withResolvers<void>();
    released = answer.promise;
    await box.fill('Beatrix, did it like the honey?');
    await box.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await box.fill('And you, Beatrix?');
    await box.press('Enter');
    await page.getByText('Will be sent after this answer').waitFor();
    answer.resolve();
    await spokenLocator.getByText('Answer number 6.').waitFor();
    expect(await box.inputValue()).toBe('');
    await memory.getByRole('button', { name: 'Remove memory you1' }).click();
    await memory.locator('s').getByText('A goose stole the honey.').waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.evaluate('localStorage.clear()');
    await model.close();
  });
});
