import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Compiles the link scanner (AssemblyScript) to WebAssembly beside its sources. `npm ci`, `npm start` and `npm test` run it,
 * so it returns at once when nothing has changed. Without the compiler, a scanner that is there already is used as it is.
 */
const folder = fileURLToPath(new URL('../src/crawl/extract/scanner/', import.meta.url))
const sources = join(folder, 'assembly')
const target = join(folder, 'scanner.wasm')

/** Speed first; no allocator, since all tables are static and the page lies behind them. */
const compilerOptions = ['-O3', '--runtime', 'stub', '--enable', 'simd', '--noAssert', '--use', 'abort=']

function isFresh(): boolean {
  if (!existsSync(target)) return false
  const builtAt = statSync(target).mtimeMs
  const inputs = globSync('*.ts', { cwd: sources }).map((name) => join(sources, name))
  return [...inputs, sources, fileURLToPath(import.meta.url)].every((path) => statSync(path).mtimeMs <= builtAt)
}

export async function buildScanner(outFile = target): Promise<void> {
  const { default: compiler } = await import('assemblyscript/asc')
  const files = ['assembly/scanner.ts', '--baseDir', folder, '--outFile', outFile]
  const { error, stderr } = await compiler.main([...files, ...compilerOptions])
  if (error !== null) throw new Error(`the link scanner could not be compiled\n${stderr}`)
}

function isMissingTool(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

/** Builds what is missing or older than its sources. */
export async function ensureScanner(): Promise<void> {
  if (!existsSync(sources) || isFresh()) return
  try {
    await buildScanner()
    process.stdout.write(`link scanner: ${(statSync(target).size / 1024).toFixed(1)} KB\n`)
  } catch (error) {
    if (!isMissingTool(error)) throw error
    const state = existsSync(target) ? 'used as it is' : 'missing, so nothing can be crawled'
    process.stdout.write(`link scanner: ${state}; assemblyscript is not installed (run npm install)\n`)
  }
}

if (import.meta.main) await ensureScanner()
