/** @file Generates short programs that load the answers for analysis in R, Python, and SPSS, with the labels of the codebook. */

import { basename } from 'node:path';
import type { Instrument } from '../survey/instrument.ts';

export interface LoaderSource {
  /** The table of answers and its codebook, as files in the program's folder. */
  readonly table: string;
  readonly book: string;
  /** The columns of the table, and those that are attributes of people. */
  readonly columns: readonly string[];
  readonly attributes: readonly string[];
  readonly instrument: Instrument;
}

/** Returns the programs by file extension. */
export function loaderPrograms(source: LoaderSource): Readonly<Record<'R' | 'py' | 'sps', string>> {
  return { R: inR(source), py: inPython(source), sps: inSpss(source) };
}

/** Returns the columns that are the same in all rows of a person. */
function fixedColumns({ attributes }: LoaderSource): readonly string[] {
  return ['person', 'weight', ...attributes];
}

const quoteText = (text: string) => JSON.stringify(text);

function inR(source: LoaderSource): string {
  const { table, book, columns } = source;
  const read = /\.parquet$/i.test(table)
    ? `as.data.frame(arrow::read_parquet(${quoteText(basename(table))}))`
    : `read.csv(${quoteText(basename(table))}, na.strings = "", check.names = FALSE)`;
  const fixed = fixedColumns(source).map(quoteText).join(', ');
  const isPanel = columns.includes('wave');
  return `# One row per person: answers as labeled factors, with attributes and weights.
answers <- ${read}
book <- read.csv(${quoteText(basename(book))}, na.strings = "")
closed <- answers[answers$kind %in% c("single", "scale"), ]
closed$code[closed$status != "answered"] <- NA
closed$variable <- ${isPanel ? 'paste(closed$item, closed$wave, sep = ".")' : 'closed$item'}
wide <- reshape(closed[c(${fixed}, "variable", "code")], idvar = c(${fixed}), timevar = "variable", direction = "wide")
names(wide) <- sub("^code\\\\.", "", names(wide))
for (name in unique(closed$variable)) {
  own <- book[book$variable == ${isPanel ? 'sub("\\\\.[^.]*$", "", name)' : 'name'}, ]
  wide[[name]] <- factor(as.integer(wide[[name]]), levels = own$value, labels = own$label, ordered = own$kind[1] == "scale")
}
# Shares with design-based errors, where the package survey is installed.
if (requireNamespace("survey", quietly = TRUE)) {
  design <- survey::svydesign(ids = ~1, weights = ~weight, data = wide)
  for (name in unique(closed$variable)) print(survey::svymean(as.formula(paste0("~\`", name, "\`")), design, na.rm = TRUE))
}
`;
}

function inPython(source: LoaderSource): string {
  const { table, book, columns } = source;
  const read = /\.parquet$/i.test(table) ? 'pd.read_parquet' : 'pd.read_csv';
  const isPanel = columns.includes('wave');
  return `"""One row per person: answers as labeled categories, with attributes and weights."""
import pandas as pd

answers = ${read}(${quoteText(basename(table))})
book = pd.read_csv(${quoteText(basename(book))})
closed = answers[answers["kind"].isin(["single", "scale"])].copy()
closed["code"] = pd.to_numeric(closed["code"].where(closed["status"] == "answered"))
closed["variable"] = ${isPanel ? 'closed["item"] + "." + closed["wave"]' : 'closed["item"]'}
wide = closed.pivot(index=[${fixedColumns(source).map(quoteText).join(', ')}], columns="variable", values="code").reset_index()
for name in closed["variable"].unique():
    own = book[book["variable"] == ${isPanel ? 'name.rsplit(".", 1)[0]' : 'name'}]
    labels = dict(zip(own["value"].astype(int), own["label"]))
    ordered = own["kind"].iloc[0] == "scale"
    wide[name] = pd.Categorical(wide[name].map(labels), categories=list(labels.values()), ordered=ordered)
    print(wide.groupby(name, observed=False)["weight"].sum() / wide.loc[wide[name].notna(), "weight"].sum())
`;
}

/** Formats a text for SPSS: quotes are doubled, and lines are joined. */
function spssText(text: string): string {
  return `'${text.replaceAll("'", "''").replace(/\s+/g, ' ').slice(0, 250)}'`;
}

function inSpss(source: LoaderSource): string {
  const { table, columns, attributes, instrument } = source;
  const formats: Readonly<Record<string, string>> = { weight: 'F16.8', place: 'F8.0', answer: 'A2000', shown: 'A120', episode: 'A80' };
  const nameOf = spssNames();
  // Table columns are first, because later code refers to them.
  const ownColumns = columns.filter((name) => !attributes.includes(name));
  const called = new Map([...ownColumns, ...attributes].map((name) => [name, nameOf(name)]));
  const variables = columns.map((name) => `    ${called.get(name)} ${formats[name] ?? 'A120'}`).join('\n');
  const isPanel = columns.includes('wave');
  const closed = instrument.items.filter(({ kind }) => kind === 'single' || kind === 'scale');
  const answers = closed.flatMap((item) =>
    (isPanel ? instrument.waves.filter(({ items }) => items.length === 0 || items.includes(item.id)) : [null]).map((wave) => ({
      item,
      label: `${item.text || Object.values(item.versions)[0] || item.id}${wave === null ? '' : ` (${wave.name})`}`,
      name: nameOf(`value.${item.id}${wave === null ? '' : `_${wave.name}`}`),
      isIt: [`RTRIM(item) = ${spssText(item.id)}`, ...(wave === null ? [] : [`RTRIM(wave) = ${spssText(wave.name)}`])].join(' AND '),
    })),
  );
  const csv = basename(table).replace(/\.parquet$/i, '.csv');
  const person = ['person', 'weight', ...attributes].map((name) => called.get(name));
  return [
    '* Encoding: UTF-8.',
    '* One case per person: answers as labeled numbers, with attributes and weights. Runs in SPSS and in PSPP.',
    ...(csv === basename(table) ? [] : ['* SPSS reads no Parquet: ask "ludus survey" for a .csv file of the same answers.']),
    `GET DATA /TYPE=TXT /FILE=${spssText(csv)} /ENCODING='UTF8' /DELIMITERS=',' /QUALIFIER='"' /ARRANGEMENT=DELIMITED /FIRSTCASE=2`,
    `  /VARIABLES=\n${variables}.`,
    ...answers.map(({ name, isIt }) => `IF (${isIt} AND RTRIM(status) = 'answered') ${name} = NUMBER(code, F8.0).`),
    `SORT CASES BY ${person.join(' ')}.`,
    [`AGGREGATE /OUTFILE=* /PRESORTED /BREAK=${person.join(' ')}`, ...answers.map(({ name }) => `  /${name} = MAX(${name})`)].join('\n') +
      '.',
    ...answers.flatMap(({ item, name, label }) => [
      `VARIABLE LABELS ${name} ${spssText(label)}.`,
      `VALUE LABELS ${name} ${item.options.map((label, i) => `${i + 1} ${spssText(label)}`).join(' ')}.`,
      `VARIABLE LEVEL ${name} (${item.kind === 'scale' ? 'ORDINAL' : 'NOMINAL'}).`,
    ]),
    'WEIGHT BY weight.',
    ...(answers.length === 0 ? [] : [`FREQUENCIES /VARIABLES=${answers.map(({ name }) => name).join(' ')}.`]),
    'EXECUTE.',
    '',
  ].join('\n');
}

/**
 * Returns a function that makes valid SPSS names: letters, digits, points, and underscores, at most 64 characters, unique regardless of
 * case.
 */
function spssNames(): (name: string) => string {
  const used = new Set<string>();
  return (name) => {
    const plain = name.replace(/[^A-Za-z0-9_.]/g, '_').slice(0, 58);
    const first = /^[A-Za-z].*[^.]$|^[A-Za-z]$/.test(plain) ? plain : `v_${plain}_`;
    let unique = first;
    for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${first}_${n}`;
    used.add(unique.toLowerCase());
    return unique;
  };
}
