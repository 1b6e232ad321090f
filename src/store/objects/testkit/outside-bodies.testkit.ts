import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ObjectBackend, SegmentWriter } from '../../contracts/object-backend.ts'
import { createFolderBackend } from '../folder/backend.ts'
import { createS3Backend } from '../s3/backend.ts'
import { createS3Client } from '../s3/client.ts'
import { type S3Server, startS3Server } from './s3-server.testkit.ts'

/** A backend for bodies. `leaveHalfWritten` leaves what a killed writer would leave. */
export type OutsideBodies = { backend: ObjectBackend; leaveHalfWritten(): Promise<void>; end(): Promise<void> }

const block = 'software: test\r\n'
/** A record that describes a file. */
export const fileHeader = (name: string): Buffer =>
  Buffer.from(
    `WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Filename: ${name}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`,
  )

export type FolderBodies = OutsideBodies & { folder: string }

export function createFolderBodies(maxFileBytes = 2_000): FolderBodies {
  const folder = mkdtempSync(join(tmpdir(), 'erace-objects-'))
  const plain = createFolderBackend({ folder, maxFileBytes, fileHeader })
  const writers: SegmentWriter[] = []
  return {
    folder,
    backend: {
      ...plain,
      async create(name) {
        const writer = await plain.create(name)
        writers.push(writer)
        return writer
      },
    },
    async leaveHalfWritten() {
      for (const name of readdirSync(folder)) appendFileSync(join(folder, name), 'WARC/1.1\r\nhalf a rec')
    },
    async end() {
      // The writers of killed processes.
      await Promise.all(writers.map((writer) => writer.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type S3Bodies = OutsideBodies & { server: S3Server }

export async function createS3Bodies(): Promise<S3Bodies> {
  const server = await startS3Server()
  const client = createS3Client(server.settings)
  return {
    server,
    backend: createS3Backend({ client, address: server.settings.endpoint, prefix: 'erace/', fileHeader }),
    async leaveHalfWritten() {
      for (const { key } of await client.list('erace/'))
        await client.put(key.replace(/\d+\.warc/, '000900.warc'), Buffer.from('never counted'))
    },
    async end() {
      client.close()
      await server.end()
    },
  }
}
