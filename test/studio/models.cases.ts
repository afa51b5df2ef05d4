/** @file The models page in a browser. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelsShown } from '@ludus-agents/servers/internal/studio/api';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../browser.ts';
import { json, scriptedServer, whole } from '../fixtures/scripted-server.ts';
import { call, open, page, shown, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('the models page', () => {
  it('tests a model, sets a budget, and never shows a key', async () => {
    await open('/models');
    await page.getByLabel('Test a model').fill('fake/yes');
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(/fake\/yes: answered "yes"/);
    const mistral = page.locator('.reach li').filter({ hasText: 'mistral/' });
    await page.getByText(/unavailable providers?$/).click();
    await mistral.getByText('no key').waitFor();
    await page.getByRole('textbox', { name: 'Key for MISTRAL_API_KEY' }).fill('sk-secret-secret');
    await page.getByRole('button', { name: 'Save the key for MISTRAL_API_KEY' }).click();
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
    await another.getByLabel('API key').fill('sk-home');
    await another.getByLabel('Creativity').selectOption('strict');
    await another.getByLabel('Input price').fill('100');
    // Half a price is none.
    expect(await another.getByRole('button', { name: 'Save endpoint' }).isDisabled()).toBe(true);
    await another.getByLabel('Output price').fill('200');
    await another.getByRole('button', { name: 'Save endpoint' }).click();
    const endpoints = page.getByRole('region', { name: 'Endpoints' });
    await endpoints.getByText('2 models').waitFor();
    await endpoints.getByRole('button', { name: 'Test home' }).click();
    // What it says of itself, what the one question cost, and what the file keeps.
    await endpoints.getByText('strict · $100 input, $200 output per million tokens').waitFor();
    await endpoints.getByText(/home\/tiny: answered "yes" in \d+ ms for \$0\.000700/).waitFor();
    expect(JSON.parse(readFileSync(join(studio.cwd, '.ludus', 'endpoints.json'), 'utf8'))).toMatchObject({
      home: { sampling: { temperature: 0.3, topP: 0.9 }, price: { prompt: 100, completion: 200 } },
    });
    expect(readFileSync(join(studio.cwd, '.ludus', 'endpoints.json'), 'utf8')).not.toContain('sk-home');
    await open('/play?world=tic-tac-toe&O=llm:home/tiny');
    await page.locator('datalist option[value="home/large"]').first().waitFor({ state: 'attached' });
    await open('/models');
    await endpoints.getByRole('button', { name: 'Forget home' }).click();
    await endpoints.getByText('2 models').waitFor({ state: 'detached' });
    await server.close();
    await page.getByLabel('Cost limit (USD)').fill('2.5');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.reload();
    await page.getByLabel('Cost limit (USD)').waitFor();
    expect(await page.getByLabel('Cost limit (USD)').inputValue()).toBe('2.5');
    // Other tests use models without a price, which a limit in money refuses.
    await page.getByLabel('Cost limit (USD)').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await call<ModelsShown>('/api/models')).budget.money === undefined);
  });
});
