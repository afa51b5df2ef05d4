/** @file The same as resume.test.ts, at twenty moments. */

process.env['LUDUS_MOMENTS'] = '20';
await import('./resume.test.ts');
