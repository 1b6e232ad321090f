import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Builds the pages into dist/ui, each file also in compressed form. `npm ci` and `npm start` run it, so it returns at
 * once when nothing has changed, and does nothing when the build tools are not installed.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'ui')
const target = join(root, 'dist/ui')

const compressible = /\.(?:html|js|css|svg|json|webmanifest|map)$/
/** Compressing smaller files saves no packets. */
const MIN_COMPRESS_BYTES = 500

type Chunk = {
  fileName: string
  facadeModuleId?: string | null
  imports?: string[]
  viteMetadata?: { importedCss: Set<string> }
}
export type Built = { files: number; firstLoadBytes: number }

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  )
}

/** Checks folders too: removing a file changes their modification time. */
export function isFresh(): boolean {
  const page = join(target, 'index.html')
  if (!existsSync(page)) return false
  const builtAt = statSync(page).mtimeMs
  const inputs = [...filesUnder(source), join(root, 'package.json')]
  return inputs.every((path) => statSync(path).mtimeMs <= builtAt)
}

function compress(folder: string): void {
  for (const path of filesUnder(folder)) {
    if (!compressible.test(path)) continue
    const content = readFileSync(path)
    if (content.length < MIN_COMPRESS_BYTES) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

/** The files a browser loads for the inbox: the page, its entry, the view, and all their imports. */
function firstLoad(chunks: readonly Chunk[]): Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const wanted = new Set(['index.html'])
  const waiting = chunks
    .filter(({ facadeModuleId }) => /ui\/index\.html$|inbox\/inbox-view\.tsx$/.test(facadeModuleId ?? ''))
    .map(({ fileName }) => fileName)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (wanted.has(name)) continue
    wanted.add(name)
    const chunk = byName.get(name)
    waiting.push(...(chunk?.imports ?? []), ...(chunk?.viteMetadata?.importedCss ?? []))
  }
  return wanted
}

/** Size with gzip, the larger of the two compressed forms, and so an upper bound. */
function compressedBytes(folder: string, name: string): number {
  const packed = join(folder, `${name}.gz`)
  return statSync(existsSync(packed) ? packed : join(folder, name)).size
}

export async function buildUi(outDir = target): Promise<Built> {
  const { build } = await import('vite')
  const result = await build({ root: source, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  const outputs = Array.isArray(result) ? result : [result]
  const chunks = outputs.flatMap((output) => ('output' in output ? (output.output as Chunk[]) : []))
  compress(outDir)
  const names = [...firstLoad(chunks)]
  return {
    files: chunks.length,
    firstLoadBytes: names.reduce((sum, name) => sum + compressedBytes(outDir, name), 0),
  }
}

function isMissingTool(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

async function main(): Promise<void> {
  const forced = process.argv.includes('--force')
  if (!existsSync(source) || (!forced && isFresh())) return
  try {
    const { files, firstLoadBytes } = await buildUi()
    process.stdout.write(
      `pages: ${files} files, first load of the inbox ${(firstLoadBytes / 1024).toFixed(1)} KB compressed\n`,
    )
  } catch (error) {
    if (!isMissingTool(error)) throw error
    process.stdout.write(
      'pages: not built because vite is not installed (run npm install); the HTTP API works without them\n',
    )
  }
}

if (import.meta.main) await main()
