import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

/**
 * A rule that both engines follow is written once, in `store/rules`. Two copies of a rule show as
 * - a name that one engine exports and the other defines too;
 * - a function that both engines have word for word, under any name;
 * - the same SQL condition in both engines.
 * Factories carry their engine's name (`createSqliteVersions`, `createPostgresVersions`), so there are no exceptions.
 */
const store = fileURLToPath(new URL('..', import.meta.url))
const engines = ['sqlite', 'postgres'] as const

/** What `find` finds in both engines, with the files that contain it. */
function inBoth(find: (source: string) => Iterable<string>): string[] {
  const [sqlite, postgres] = engines.map((engine) => {
    const found = new Map<string, string[]>()
    for (const path of globSync('**/*.ts', { cwd: join(store, engine) }).sort()) {
      if (/\.(?:test|testkit)\.ts$/.test(path)) continue
      const source = withoutComments(readFileSync(join(store, engine, path), 'utf8'))
      for (const each of new Set(find(source))) found.set(each, [...(found.get(each) ?? []), `${engine}/${path}`])
    }
    return found
  }) as [Map<string, string[]>, Map<string, string[]>]
  return [...sqlite].flatMap(([each, paths]) => {
    const others = postgres.get(each)
    return others === undefined ? [] : [`${each} (${[...paths, ...others].join(', ')})`]
  })
}

function withoutComments(source: string): string {
  return source.replace(/^\s*\/\*[\s\S]*?\*\/|(?<=\s|^)\/\/.*$/gm, '')
}

const definition = /^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)/gm

function namesIn(source: string, onlyExported: boolean): string[] {
  return [...source.matchAll(definition)]
    .filter(([, exported]) => !onlyExported || exported !== undefined)
    .map(([, , name]) => name!)
}

const MIN_BODY_CHARS = 40

/** Bodies of top-level functions, without names and parameter types. */
function functionsIn(source: string): string[] {
  const declared = source.matchAll(/^(?:export )?(?:async )?function\*? \w+[\s\S]*?\)(?:: [^\n]+)? \{\n([\s\S]*?)^\}/gm)
  const arrows = source.matchAll(
    /^(?:export )?const \w+ = (?:async )?\([^\n]*\)(?:: [^\n]+?)? =>\s+([\s\S]*?)\n(?=\S|\n)/gm,
  )
  return [...declared, ...arrows]
    .map(([, body]) => body!.replace(/\s+/g, ' ').trim())
    .filter((body) => body.length >= MIN_BODY_CHARS)
}

/** Columns used by the rules of versions, collection, inbox, tasks and host ranking. */
const ruleColumns = [
  ...['body', 'reason', 'original', 'wanted', 'leaving', 'not_modified', 'n', 'document', 'seen_at', 'digest'],
  ...['outcome', 'since', 'first', 'unread', 'read', 'starred', 'archived', 'shown', 'muted'],
  ...['given_up', 'rests', 'failures', 'queued', 'next_at', 'run'],
]
const column = `\\b(?:${ruleColumns.join('|')})\\b`
const value = `(?:'[^']*'|-?\\d+|\\?|[a-z_]+)`
/** `column op value`, or a column that is true or false by itself. */
const atom = new RegExp(`${column}(?: (?:=|<>|<=|>=|<|>|LIKE|IS NOT|IS) ${value})?`, 'g')
const between = /^[()\s]*(?:AND|OR|THEN|ELSE)(?: NOT)?[()\s]*$/

/** Each pair of consecutive conditions with the operator that joins them, normalised to ignore differences between SQL dialects. */
function conditionsIn(source: string): string[] {
  const sql = plainSql(source)
  const atoms = [...sql.matchAll(atom)]
  const pairs: string[] = []
  for (const [index, first] of atoms.entries()) {
    const second = atoms[index + 1]
    if (second === undefined) break
    const joint = sql.slice(first.index + first[0].length, second.index)
    if (between.test(joint)) pairs.push(`${first[0]} ${joint.replace(/[()\s]+/g, ' ').trim()} ${second[0]}`)
  }
  return pairs
}

function plainSql(source: string): string {
  return source
    .replace(/\s+/g, ' ')
    .replace(/iif\(((?:[^(),]|\([^()]*\))*), ((?:[^(),]|\([^()]*\))*), /g, 'CASE WHEN $1 THEN $2 ELSE ')
    .replace(/::\w+(?:\[\])?/g, '')
    .replace(/\$\d+|:[a-z]\w*\b|(?<=[\s(])\?\d*/g, '?')
    .replace(/= ANY\(\?\)/g, '= ?')
    .replace(/\b[a-z]\w*\.(?=["a-z_])/g, '')
    .replace(/"(\w+)"/g, '$1')
    .replace(/\bpartition = \S+ AND | AND partition = [^\s)]+/g, '')
    .replace(/\b(\w+) = \1\b/g, '$1 = ?')
    .replace(/\b(\w+) = (?:1|true)\b/g, '$1')
}

describe('store rules', () => {
  test('no name exported by one engine is defined in the other', () => {
    const exported = new Set(
      engines.flatMap((engine) =>
        globSync('**/*.ts', { cwd: join(store, engine) })
          .filter((path) => !/\.(?:test|testkit)\.ts$/.test(path))
          .flatMap((path) => namesIn(readFileSync(join(store, engine, path), 'utf8'), true)),
      ),
    )
    assert.deepEqual(
      inBoth((source) => namesIn(source, false).filter((name) => exported.has(name))),
      [],
    )
  })

  test('no function exists in both engines', () => {
    assert.deepEqual(inBoth(functionsIn), [])
  })

  test('no SQL condition on versions, collection, inbox or host ranking exists in both engines', () => {
    assert.deepEqual(inBoth(conditionsIn), [])
  })
})

describe('the scan for duplicate rules', () => {
  test('recognises the same condition in both SQL dialects', () => {
    const sqlite =
      "`UPDATE versions SET a = iif(body = 'kept' AND not_modified >= 0, 1, 0) WHERE original = ? AND wanted = 1`"
    const postgres = `\`UPDATE versions v SET a = CASE WHEN v.body = 'kept' AND v.not_modified >= 0 THEN 1 ELSE 0 END
      WHERE v.partition = $1::smallint AND v.original = ANY($2::bigint[]) AND v.wanted\``
    assert.deepEqual(conditionsIn(sqlite), ["body = 'kept' AND not_modified >= 0", 'original = ? AND wanted'])
    assert.deepEqual(conditionsIn(postgres), conditionsIn(sqlite))
  })

  test('compares functions by their bodies, not their names', () => {
    const body = 'return a.health - b.health || b.queued - a.queued || a.host.length\n}\n'
    assert.equal(functionsIn(`function compare(a: Row, b: Row): number {\n  ${body}`).length, 1)
    assert.deepEqual(
      functionsIn(`function one(a: Row, b: Row): number {\n  ${body}`),
      functionsIn(`export function two(a, b) {\n${body}`),
    )
  })
})
