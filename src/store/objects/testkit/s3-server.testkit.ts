import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Settings } from '../s3/client.ts'

/** What is used of the package `s3rver`, which brings no types. */
type ServerClass = new (options: {
  address: string
  port: number
  silent: boolean
  directory: string
  vhostBuckets: boolean
  serviceEndpoint: string
  configureBuckets: readonly { name: string; configs: readonly string[] }[]
}) => { run(): Promise<AddressInfo>; close(): Promise<void> }

const Server = createRequire(import.meta.url)('s3rver') as ServerClass

export type S3Server = {
  settings: S3Settings
  /** Gone, with everything kept on disk, until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

/** A server of the S3 protocol on loopback, with one bucket. It knows these keys and no others. */
export async function startS3Server({ pathStyle = true } = {}): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'erace-s3-'))
  let port = 0
  let running: InstanceType<ServerClass> | null = null

  async function start(): Promise<void> {
    running = new Server({
      ...{
        address: '127.0.0.1',
        port,
        silent: true,
        directory,
        vhostBuckets: !pathStyle,
        serviceEndpoint: 'localhost',
      },
      configureBuckets: [{ name: 'bodies', configs: [] }],
    })
    port = (await running.run()).port
  }

  async function stop(): Promise<void> {
    await running?.close()
    running = null
  }

  await start()
  const host = pathStyle ? '127.0.0.1' : 's3.localhost'
  const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
  return {
    settings: { endpoint: `http://${host}:${port}`, region: 'us-east-1', bucket: 'bodies', ...keys, pathStyle },
    start,
    stop,
    async end() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
