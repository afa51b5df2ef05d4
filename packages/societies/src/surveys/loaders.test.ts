import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInstrument } from '../survey/instrument.ts';
import { loaderPrograms } from './loaders.ts';

const pspp = process.env['PSPP'] ?? 'pspp';
const isHere = spawnSync(pspp, ['--version']).status === 0;
if (!isHere) console.warn('The syntax for SPSS is not run: PSPP is not installed (apt-get install pspp, or its path in PSPP).');

const options = ['no', 'perhaps', 'yes'];
const instrument = readInstrument(
  {
    name: 'i',
    items: [
      { id: 'age', kind: 'scale', text: "Isn't it so?", options },
      { id: 'why', kind: 'open', text: 'Why?' },
    ],
    waves: [{ name: 'one' }, { name: 'two' }],
  },
  'The questionnaire',
);
const columns = 'person,name,age,Kind,weight,wave,item,kind,status,code,answer,place,shown,episode'.split(',');
const { sps } = loaderPrograms({ table: 'a.csv', book: 'a.codebook.csv', columns, attributes: ['age', 'Kind'], instrument });

describe('the SPSS program', () => {
  it('has one case per person, unique names, and commands of both SPSS and PSPP', () => {
    expect(sps).not.toContain('CASESTOVARS');
    expect(sps).toContain(
      "IF (RTRIM(item) = 'age' AND RTRIM(wave) = 'two' AND RTRIM(status) = 'answered') value.age_two = NUMBER(code, F8.0).",
    );
    expect(sps).toContain('AGGREGATE /OUTFILE=* /PRESORTED /BREAK=person weight age Kind_2\n  /value.age_one = MAX(value.age_one)\n');
    // An attribute that differs from a column in a capital alone is the same name to SPSS.
    expect(sps).toMatch(/\n {4}Kind_2 A120\n[\s\S]*\n {4}kind A120\n/);
    expect(sps).toContain("VARIABLE LABELS value.age_two 'Isn''t it so? (two)'.");
  });

  it.skipIf(!isHere)('gives weighted counts in PSPP', () => {
    const here = mkdtempSync(join(tmpdir(), 'ludus-spss-'));
    const rows = [
      ['p1', 'Ann', '18-39', 'a', '1.5', 'one', 'age', 'scale', 'answered', '3', 'yes', '1', '', 'e1'],
      ['p1', 'Ann', '18-39', 'a', '1.5', 'one', 'why', 'open', 'answered', '', '"so, ""it"" is"', '2', '', 'e1'],
      ['p1', 'Ann', '18-39', 'a', '1.5', 'two', 'age', 'scale', 'refused', '', '', '1', '', 'e1'],
      ['p2', 'Bob', '65+', 'b', '0.25', 'one', 'age', 'scale', 'answered', '1', 'no', '1', '', 'e2'],
      ['p2', 'Bob', '65+', 'b', '0.25', 'two', 'age', 'scale', 'answered', '2', 'perhaps', '1', '', 'e2'],
    ];
    writeFileSync(join(here, 'a.csv'), `${[columns, ...rows].map((row) => row.join(',')).join('\n')}\n`);
    writeFileSync(join(here, 'a.sps'), `${sps}LIST person weight value.age_one value.age_two.\n`);
    const { status, stdout } = spawnSync(pspp, ['a.sps', '-O', 'format=csv'], { cwd: here, encoding: 'utf8' });
    rmSync(here, { recursive: true });
    expect(status).toBe(0);
    expect(stdout).toMatch(/\np1,1\.50*,3\.00,\. *\np2,\.250*,1\.00,2\.00\n/);
    expect(stdout).toContain('Valid,no,.25000000');
  });
});
