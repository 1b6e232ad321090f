// Prints the parts of the project (folders of src, one and two levels deep), their size and the imports between them, from the code itself:
// `npm run structure`, or `npm run structure -- DIR` for another checkout.
import { resolve } from 'node:path'
import { findCycle, readSources, type SourceFile } from './source-imports.ts'

const root = resolve(process.argv[2] ?? '.')
const forTests = /\.(?:test|testkit)\.ts$/
const files = readSources(root, ['src']).filter(({ path }) => !forTests.test(path))
const number = new Intl.NumberFormat('en')
const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Part = { name: string; files: SourceFile[]; imports: Map<string, number> }

/** `src/store/sqlite/x/y.ts` belongs to `store` or, two levels deep, to `store/sqlite`; a file directly in src is its own part. */
function nameOf(path: string, depth: number): string {
  const folders = path.split('/').slice(1, -1)
  return folders.slice(0, depth).join('/') || path.slice('src/'.length)
}

function partsAt(depth: number): Part[] {
  const parts = new Map<string, Part>()
  for (const file of files) {
    const name = nameOf(file.path, depth)
    const part: Part = parts.get(name) ?? { name, files: [], imports: new Map() }
    parts.set(name, part)
    part.files.push(file)
    for (const { target } of file.imports) {
      const to = nameOf(target, depth)
      if (target.startsWith('src/') && to !== name) part.imports.set(to, (part.imports.get(to) ?? 0) + 1)
    }
  }
  return lowestFirst([...parts.values()])
}

/** Orders parts so that each comes after those it imports; a cycle is broken at the part that is imported most. */
function lowestFirst(parts: readonly Part[]): Part[] {
  const left = new Set(parts)
  const ordered: Part[] = []
  const upwards = ({ imports }: Part): number =>
    [...left].reduce((sum, other) => sum + (imports.get(other.name) ?? 0), 0)
  const wanted = ({ name }: Part): number => [...left].reduce((sum, { imports }) => sum + (imports.get(name) ?? 0), 0)
  const rank = (part: Part): number => (upwards(part) === 0 ? Number.NEGATIVE_INFINITY : upwards(part) - wanted(part))
  while (left.size > 0) {
    const ranks = new Map([...left].map((part) => [part, rank(part)]))
    const next = [...left].reduce((best, part) => (ranks.get(part)! < ranks.get(best)! ? part : best))
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

function upwardImports(parts: readonly Part[]): string[] {
  const height = new Map(parts.map(({ name }, index) => [name, index]))
  return parts.flatMap(({ name, imports }) =>
    [...imports].filter(([to]) => height.get(to)! > height.get(name)!).map(([to, n]) => `${name} → ${to} (${n})`),
  )
}

/** Arrows not implied by a longer path, so that the drawing stays readable; the table has all of them. */
function drawnArrows(parts: readonly Part[]): string[] {
  const byName = new Map(parts.map((part) => [part.name, part]))
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(byName.get(from)?.imports.keys() ?? [])].some((next) => {
      if (next === to) return true
      return !seen.has(next) && reaches(next, to, seen.add(next))
    })
  const id = (name: string): string => `${name.replace(/\W/g, '_')}["${name}"]`
  return parts.flatMap(({ name, imports }) =>
    [...imports.keys()]
      .filter((to) => ![...imports.keys()].some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${id(name)} --> ${id(to)}`),
  )
}

function print(title: string, parts: readonly Part[]): void {
  const cycle = findCycle(
    parts.map(({ name, imports }) => ({
      path: name,
      imports: [...imports.keys()].map((target) => ({ target, kind: 'static' })),
    })),
  )
  say(`\n## ${title}: ${parts.length}\n\n| part | files | lines | imports |\n| --- | ---: | ---: | --- |`)
  for (const { name, files, imports } of parts) {
    const lines = files.reduce((sum, file) => sum + file.lines, 0)
    say(`| ${name} | ${files.length} | ${number.format(lines)} | ${[...imports.keys()].sort().join(', ')} |`)
  }
  const upward = upwardImports(parts)
  say(`\nCycle: ${cycle?.join(' → ') ?? 'none'}. Upward imports: ${upward.join(', ') || 'none'}.`)
}

const top = partsAt(1)
print('Parts', top)
say(['\n```mermaid', 'flowchart TD', ...drawnArrows(top), '```'].join('\n'))
print('Parts, two levels deep', partsAt(2))
say(`\nCycle between files: ${findCycle(files)?.join(' → ') ?? 'none'}.`)
