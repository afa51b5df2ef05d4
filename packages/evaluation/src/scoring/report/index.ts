/** @file Reports: from rows and scores to data, and from data to a page or to Markdown. */

export { arePoints } from '../evaluation/row.ts';
export { markdownOf } from './markdown.ts';
export { withWords } from './moments.ts';
export { pageOf } from './page.ts';
export { type Report, type ReportInput, reportOf } from './report.ts';
export { figure, span, unscoredText } from './wording.ts';
