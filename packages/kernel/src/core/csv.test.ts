import { describe, expect, it } from 'vitest';
import { csvText, readCsv, readCsvRecords, readCsvRows } from './csv.ts';

describe('CSV tables', () => {
  it('survive a round trip with any content', () => {
    const rows = [
      ['plain', 'a,b', 'say "hi"', 'two\nlines', ''],
      ['=1+1', '-5', '+x', '@y', 'ü'],
    ];
    const columns = ['a', 'b', 'c', 'd', 'e'];
    expect(readCsv(csvText(columns, rows), 'x.csv')).toEqual({ columns, rows });
    expect(csvText(['n'], [[-5], [null], [true]])).toBe('n\n-5\n\ntrue\n');
    // With another separator, too, a spreadsheet finds no formula.
    expect(csvText(['n'], [['x;=1+1'], ['x\t=1+1']])).toBe('n\n"x;=1+1"\n"x\t=1+1"\n');
  });

  it('are read with other separators, line endings, and a byte order mark', () => {
    expect(readCsv('\uFEFFa;b\r\n1;2\r\n\r\n', 'x')).toEqual({ columns: ['a', 'b'], rows: [['1', '2']] });
    expect(readCsv('a\tb\n1\t', 'x').rows).toEqual([['1', '']]);
  });

  it('become records with numbers and booleans, except for quoted cells and ids', () => {
    const [first, second] = readCsvRecords('id; price ;open;zip;note\n007;4.50;true;01234; "a; b" \n8;-2;"false";"7";12 km\n', 'x.csv');
    expect(first).toEqual({ id: '007', price: 4.5, open: true, zip: '01234', note: 'a; b' });
    expect(second).toEqual({ id: '8', price: -2, open: 'false', zip: '7', note: '12 km' });
  });

  it('report the line where each row starts, after empty lines and multi-line cells', () => {
    const { rows } = readCsvRows('a, b\n1, x\n\n"two\nlines",y\r\n3,z', 'x.csv');
    expect(rows.map(({ line, cells }) => [line, cells['a'], cells['b']])).toEqual([
      [2, '1', 'x'],
      [4, 'two\nlines', 'y'],
      [6, '3', 'z'],
    ]);
  });

  it.each([
    ['', /must start with a header of column names, but/],
    ['a,a\n1,2', /two columns named "a"/],
    ['a,b\n1', /line 2 has 1 cells, but the header has 2/],
    ['a\n"x', /: unclosed quotation mark on line/],
    ['a\n"x"y', /has text after a closing quotation mark\./],
  ])('are rejected with an explanation: %j', (text, why) => {
    expect(() => readCsv(text, 'x.csv')).toThrow(why);
  });
});
