import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'basic-ftp'
import { createFileProtocol } from '../../src/fetchers/files/file-protocol.ts'
import { createFtpProtocol } from '../../src/fetchers/files/ftp-protocol.ts'
import { startVsftpd, vsftpdSkip } from '../../src/fetchers/files/vsftpd.testkit.ts'
import { findProgram } from '../measure.ts'
import { type Arena, type Read, readAll } from './contest.ts'
import { textOf } from './samples.ts'

const nameOf = (n: number): string => `report-${n}.txt`
const run = promisify(execFile)

/** A local folder. */
export async function openFiles(folder: string, files: number): Promise<Arena> {
  const root = join(folder, 'files')
  mkdirSync(root)
  for (let n = 0; n < files; n++) writeFileSync(join(root, nameOf(n)), textOf(n))
  const protocol = createFileProtocol({ roots: [root] })
  const given = { limits: { maxItems: files } }
  return {
    contests: [
      {
        name: 'file',
        items: files,
        ours: () => readAll(protocol, `${pathToFileURL(root)}/`, given),
        plain: {
          'readFile in a loop': () => readPlainly(root),
          'readFileSync in a loop': async () => readAtOnce(root),
        },
      },
    ],
    close: () => protocol.close(),
  }
}

async function readPlainly(root: string): Promise<Read> {
  const read = { items: 0, bytes: 0 }
  for (const name of await readdir(root)) {
    read.bytes += (await readFile(join(root, name))).length
    read.items++
  }
  return read
}

function readAtOnce(root: string): Read {
  const bodies = readdirSync(root).map((name) => readFileSync(join(root, name)))
  return { items: bodies.length, bytes: bodies.reduce((sum, { length }) => sum + length, 0) }
}

/** A folder on vsftpd. */
export async function openFtp(files: number): Promise<Arena> {
  if (vsftpdSkip !== false) return { missing: vsftpdSkip }
  const server = await startVsftpd()
  for (let n = 0; n < files; n++) writeFileSync(server.at(nameOf(n)), textOf(n))
  const protocol = createFtpProtocol()
  const url = `ftp://127.0.0.1:${server.port}/in/`
  const curl = findProgram('curl')
  return {
    contests: [
      {
        name: 'FTP',
        items: files,
        ours: () => readAll(protocol, url, { limits: { maxItems: files } }),
        plain: {
          'basic-ftp': () => downloadPlainly(server.port),
          ...(curl === undefined ? {} : { 'curl, names known': () => curlPlainly(curl, url, files) }),
        },
      },
    ],
    async close() {
      await protocol.close()
      await server.close()
    },
  }
}

async function downloadPlainly(port: number): Promise<Read> {
  const client = new Client()
  await client.access({ host: '127.0.0.1', port })
  const read = { items: 0, bytes: 0 }
  await client.cd('in')
  for (const { name } of await client.list()) {
    const target = new Writable({
      write(chunk: Buffer, _, done) {
        read.bytes += chunk.length
        done()
      },
    })
    await client.downloadTo(target, name)
    read.items++
  }
  client.close()
  return read
}

async function curlPlainly(curl: string, url: string, files: number): Promise<Read> {
  const all = `${url}report-[0-${files - 1}].txt`
  const { stdout } = await run(curl, ['--silent', '--show-error', '-o', '/dev/null', '-w', '%{size_download}\n', all])
  const sizes = stdout.trim().split('\n').map(Number)
  return { items: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
