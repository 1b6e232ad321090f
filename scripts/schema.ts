// Writes what a new `catalog.db` begins with, after a migration was added: `npm run schema`.
import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { catalogMigrations } from '../src/store/sqlite/folder/schema-catalog.ts'

const db = new DatabaseSync(':memory:')
for (const { sql } of catalogMigrations) db.exec(sql)
// In the order of creation: SQLite prefers one of two equally good indexes by their order. The tables of a full-text index come with it,
// and SQLite creates those with names of its own.
const objects = db
  .prepare(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
  )
  .all() as { sql: string }[]
const schema = objects.map(({ sql }) => sql).join(';\n')
const literal = `\`\n${schema.replaceAll(/[\\`]|\$\{/g, (special) => `\\${special}`)}\``
await writeFile(
  new URL('../src/store/sqlite/folder/schema-catalog-new.ts', import.meta.url),
  `/** A new \`catalog.db\`: what all migrations lead to. Generated from them by \`npm run schema\`. */\nexport const newCatalogSchema = ${literal}\n`,
)
