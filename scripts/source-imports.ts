import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export type Import = {
  /** A path from the repository root, or the name of a package or built-in module. */
  target: string
  /** `thread`: a file named by `new URL(…, import.meta.url)`, such as the entry of a worker; it is not loaded here. */
  kind: 'static' | 'dynamic' | 'thread'
}

export type SourceFile = { path: string; text: string; lines: number; imports: Import[] }

const patterns: [Import['kind'], RegExp][] = [
  ['static', /^\s*import\s+(?:type\s+)?[\w$*{},\s]+?\s+from\s*['"]([^'"]+)['"]/gm],
  ['static', /^\s*import\s*['"]([^'"]+)['"]/gm],
  ['static', /^\s*export\s+(?:type\s+)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})\s*from\s*['"]([^'"]+)['"]/gm],
  ['dynamic', /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g],
  ['thread', /\bnew\s+URL\(\s*['"]([^'"]+\.[jt]sx?)['"]\s*,\s*import\.meta\.url/g],
]

/** Imports in the order of the patterns. A plain scan for statements at the start of a line, which ignores string boundaries. */
export function importsOf(path: string, text: string): Import[] {
  return patterns.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({ kind, target: resolveFrom(path, match[1]!, kind) })),
  )
}

function resolveFrom(path: string, specifier: string, kind: Import['kind']): string {
  const isRelative = specifier.startsWith('.') || kind === 'thread'
  return isRelative ? normalize(join(dirname(path), specifier)) : specifier
}

export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  const found = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx,js}`),
    { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] },
  )
  return found.sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, lines: text.split('\n').length - 1, imports: importsOf(path, text) }
  })
}

/** A cycle of files, each of which imports the next and the last the first; `undefined` if there is none. */
export function findCycle(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): string[] | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const chain: string[] = []

  function visit(path: string): string[] | undefined {
    if (done.has(path)) return undefined
    const start = chain.indexOf(path)
    if (start >= 0) return [...chain.slice(start), path]
    chain.push(path)
    for (const { target, kind } of byPath.get(path)?.imports ?? []) {
      const cycle = kind !== 'thread' && byPath.has(target) ? visit(target) : undefined
      if (cycle !== undefined) return cycle
    }
    chain.pop()
    done.add(path)
    return undefined
  }
  for (const { path } of files) {
    const cycle = visit(path)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

const commentOrLiteral = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g

/** String and template literals with their quotes, skipping comments. A plain scan: quotes in regular expressions may confuse it. */
export function literalsOf(text: string): string[] {
  return [...text.matchAll(commentOrLiteral)].flatMap(([, literal]) => literal ?? [])
}
