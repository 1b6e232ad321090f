// Builds the contents of the package into dist/ (`npm run build`; `npm pack` runs it too): the program as JavaScript, file by file, with
// source maps and the types of the library; files that are read at run time; the pages; the man page.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCommands } from '../src/cli/commands.ts'
import { manPage } from '../src/cli/output/man-page.ts'
import { ensureScanners } from './build-scanner.ts'
import { buildUi, isFresh } from './build-ui.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'dist')
const pages = 'ui'
/** Entry point of the library; its types are the public ones. */
const entry = 'library/index'

/** Module URLs for threads and processes, which the compiler doesn't rewrite: it rewrites only imports. */
const fileAddress = /(new URL\(\s*['"][^'"]+)\.ts(['"]\s*,\s*import\.meta\.url)/g

/** Names and replacements have the same length, so source maps stay valid. */
export function withCompiledNames(text: string): string {
  return text.replaceAll(fileAddress, '$1.js$2')
}

/** Relative imports of a declaration file, as paths from the root of the build without extension. */
export function typesNamedIn(path: string, text: string): string[] {
  const named = text.matchAll(/(?:\bfrom\s*|\bimport\(|^import\s+)['"](\.[^'"]+)\.[jt]s['"]/gm)
  return [...named].map(([, specifier]) => join(dirname(path), specifier!))
}

function compile(): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('the program could not be compiled')
  for (const path of globSync('**/*.js', { cwd: target, exclude: [`${pages}/**`] })) {
    const file = join(target, path)
    const text = readFileSync(file, 'utf8')
    const compiled = withCompiledNames(text)
    if (compiled !== text) writeFileSync(file, compiled)
  }
}

/** Keeps only the declarations reachable from the library's entry point. */
function pruneTypes(): void {
  const wanted = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (wanted.has(path)) continue
    wanted.add(path)
    waiting.push(...typesNamedIn(path, readFileSync(join(target, `${path}.d.ts`), 'utf8')))
  }
  for (const path of globSync('**/*.d.ts', { cwd: target, exclude: [`${pages}/**`] }))
    if (!wanted.has(path.slice(0, -'.d.ts'.length))) rmSync(join(target, path))
}

/** Grammars, scripts and the scanners, which are used as they are. */
function copyFiles(): void {
  for (const path of globSync('src/**/*.{dtd,js,wasm}', { cwd: root })) {
    const copy = join(target, relative('src', path))
    mkdirSync(dirname(copy), { recursive: true })
    cpSync(join(root, path), copy)
  }
}

async function build(): Promise<void> {
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(target)) if (name !== pages) rmSync(join(target, name), { recursive: true })
  compile()
  pruneTypes()
  await ensureScanners()
  copyFiles()
  writeFileSync(join(target, 'erace.1'), manPage(await loadCommands(), new Date().toISOString().slice(0, 10)))
  // ui-types.ts generates the types of the pages from modules of the program.
  if (!existsSync(join(root, 'ui/src/api/types.ts'))) await import('./ui-types.ts')
  if (!isFresh()) await buildUi()
}

if (import.meta.main) await build()
