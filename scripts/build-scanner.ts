import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Compiles the scanners (AssemblyScript) to WebAssembly beside their sources. `npm ci`, `npm start` and `npm test` run it,
 * so it returns at once when nothing has changed. Without the compiler, an existing scanner is used as it is.
 */
type Scanner = { readonly title: string; readonly folder: string; readonly name: string; readonly without: string }

const scanners: readonly Scanner[] = [
  { title: 'link scanner', folder: folderOf('crawl/extract/scanner'), name: 'scanner', without: 'crawled' },
  { title: 'word scanner', folder: folderOf('matching/terms/scanner'), name: 'words', without: 'matched' },
]

/** Optimise for speed; no allocator, since tables are static or grow by themselves. */
const compilerOptions = ['-O3', '--runtime', 'stub', '--enable', 'simd', '--noAssert', '--use', 'abort=']

function folderOf(path: string): string {
  return fileURLToPath(new URL(`../src/${path}/`, import.meta.url))
}

function isFresh(sources: string, target: string): boolean {
  if (!existsSync(target)) return false
  const builtAt = statSync(target).mtimeMs
  const inputs = globSync('*.ts', { cwd: sources }).map((name) => join(sources, name))
  return [...inputs, sources, fileURLToPath(import.meta.url)].every((path) => statSync(path).mtimeMs <= builtAt)
}

async function build({ title, folder, name }: Scanner, target: string): Promise<void> {
  const { default: compiler } = await import('assemblyscript/asc')
  const files = [`assembly/${name}.ts`, '--baseDir', folder, '--outFile', target]
  const { error, stderr } = await compiler.main([...files, ...compilerOptions])
  if (error !== null) throw new Error(`the ${title} could not be compiled\n${stderr}`)
}

function isMissingTool(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

async function ensure(scanner: Scanner): Promise<void> {
  const { title, folder, name, without } = scanner
  const sources = join(folder, 'assembly')
  const target = join(folder, `${name}.wasm`)
  if (!existsSync(sources) || isFresh(sources, target)) return
  try {
    await build(scanner, target)
    process.stdout.write(`${title}: ${(statSync(target).size / 1024).toFixed(1)} KB\n`)
  } catch (error) {
    if (!isMissingTool(error)) throw error
    const state = existsSync(target) ? 'used as it is' : `missing, so nothing can be ${without}`
    process.stdout.write(`${title}: ${state}; assemblyscript is not installed (run npm install)\n`)
  }
}

/** Builds scanners that are missing or older than their sources. */
export async function ensureScanners(): Promise<void> {
  for (const scanner of scanners) await ensure(scanner)
}

if (import.meta.main) await ensureScanners()
