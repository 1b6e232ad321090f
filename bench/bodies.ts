import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { S3Settings } from '../src/store/objects/s3/client.ts'

/** Where a cluster can store bodies other than in its database. */
export type BodiesPlace = 'folder' | 's3'

export type OpenBodies = { label: string; settings: Record<string, string>; end(): Promise<void> }

export function openBodies(name: BodiesPlace): Promise<OpenBodies> | OpenBodies {
  return name === 'folder' ? openFolder() : openS3()
}

function openFolder(): OpenBodies {
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-objects-'))
  return {
    label: 'in a shared folder',
    settings: { ERACE_OBJECTS_STORE: 'folder', ERACE_OBJECTS_FOLDER: folder },
    async end() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server runs in its own process, so that it doesn't share this one's event loop. */
async function openS3(): Promise<OpenBodies> {
  const child = fork(fileURLToPath(new URL('./bodies-server.ts', import.meta.url)))
  const [settings] = (await once(child, 'message')) as [S3Settings]
  return {
    label: 'on S3',
    settings: {
      ERACE_OBJECTS_STORE: 's3',
      ERACE_OBJECTS_ENDPOINT: settings.endpoint,
      ERACE_OBJECTS_BUCKET: settings.bucket,
      ERACE_OBJECTS_ACCESSKEY: settings.accessKey,
      ERACE_OBJECTS_SECRETKEY: settings.secretKey,
    },
    async end() {
      child.send('end')
      await once(child, 'exit')
    },
  }
}
