// Writes the pages under docs/ that are made from tables in the source. Run by `npm run docs`.
import { writeFile } from 'node:fs/promises'
import { configPage } from './config-page.ts'
import { errorsPage } from './errors-page.ts'

const pages = { 'config.md': configPage, 'errors.md': errorsPage }

for (const [name, write] of Object.entries(pages)) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), write())
}
