import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { AppError } from '../../../core/errors.ts'
import { refused } from './backup-manifest.ts'

/**
 * A sealed file: a header, then chunks, each encrypted with AES-256-GCM.
 *
 *     header  magic, format (1 byte), salt (32 bytes), check (32 bytes: HMAC-SHA-256 of all before it)
 *     chunk   word (4 bytes: the length of the text, and the highest bit if it is the last), text, tag (16 bytes)
 *
 * HKDF derives the keys of header and chunks from the given key and the salt, so that every file has its own keys and the chunk number can
 * be the nonce. The word is authenticated together with the text. Chunks can't be changed, omitted, reordered or taken from another file.
 * All but the last have the same length. The check distinguishes a wrong key from damage.
 */
export type SealKey = {
  read(): Buffer
  /** The file or setting that contains it, for messages. */
  place: string
}

const magic = Buffer.from('eRACE sealed backup\n')
const FORMAT = 1
const SALT_BYTES = 32
const CHECK_BYTES = 32
const KEY_BYTES = 32
const WORD_BYTES = 4
const TAG_BYTES = 16
const NONCE_BYTES = 12
const LAST = 0x8000_0000
export const SEALED_CHUNK_BYTES = 1 << 16
export const SEALED_HEADER_BYTES = magic.length + 1 + SALT_BYTES + CHECK_BYTES

export const isSealed = (start: Uint8Array): boolean => magic.equals(start.subarray(0, magic.length))

function keysOf(key: Buffer, opening: Buffer) {
  const salt = opening.subarray(-SALT_BYTES)
  const bytes = Buffer.from(hkdfSync('sha256', key, salt, `eRACE sealed backup ${FORMAT}`, 2 * KEY_BYTES))
  const check = createHmac('sha256', bytes.subarray(KEY_BYTES)).update(opening).digest()
  return { chunkKey: bytes.subarray(0, KEY_BYTES), check }
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(number), NONCE_BYTES - 8)
  return nonce
}

export function createSealer(key: Buffer): Transform {
  const opening = Buffer.concat([magic, Buffer.of(FORMAT), randomBytes(SALT_BYTES)])
  const { chunkKey, check } = keysOf(key, opening)
  const text = Buffer.alloc(SEALED_CHUNK_BYTES)
  let filled = 0
  let number = 0

  function nextChunk(isLast: boolean): Buffer {
    const word = Buffer.alloc(WORD_BYTES)
    word.writeUInt32BE(isLast ? LAST + filled : filled)
    const cipher = createCipheriv('aes-256-gcm', chunkKey, nonceOf(number++), { authTagLength: TAG_BYTES })
    cipher.setAAD(word)
    const sealed = [word, cipher.update(text.subarray(0, filled)), cipher.final(), cipher.getAuthTag()]
    filled = 0
    return Buffer.concat(sealed)
  }

  const sealer = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      for (let at = 0; at < bytes.length; ) {
        if (filled === text.length) this.push(nextChunk(false))
        const copied = bytes.copy(text, filled, at)
        filled += copied
        at += copied
      }
      done()
    },
    flush(done) {
      this.push(nextChunk(true))
      done()
    },
  })
  sealer.push(Buffer.concat([opening, check]))
  return sealer
}

/** Yields only authenticated bytes; throws for an incomplete file, at the latest at its end. */
export async function* unseal(file: string, key: SealKey): AsyncGenerator<Buffer> {
  const handle = await open(file)
  try {
    const chunkKey = await readHeader(handle, key)
    for (let number = 0, isLast = false; !isLast; number++) {
      const word = await readExactly(handle, WORD_BYTES)
      const value = word.readUInt32BE()
      isLast = value >= LAST
      const length = isLast ? value - LAST : value
      if (length > SEALED_CHUNK_BYTES || (!isLast && length < SEALED_CHUNK_BYTES)) throw damaged()
      yield decrypt(chunkKey, number, word, await readExactly(handle, length + TAG_BYTES))
    }
    const { bytesRead } = await handle.read(Buffer.alloc(1))
    if (bytesRead > 0) throw refused('it goes on after its end')
  } finally {
    await handle.close()
  }
}

async function readHeader(handle: FileHandle, key: SealKey): Promise<Buffer> {
  const opening = await readExactly(handle, magic.length + 1)
  const format = opening[magic.length]!
  if (format > FORMAT)
    throw new AppError('store-too-new', `the backup is sealed in format ${format}, this program knows ${FORMAT}`)
  const rest = await readExactly(handle, SALT_BYTES + CHECK_BYTES)
  const { chunkKey, check } = keysOf(key.read(), Buffer.concat([opening, rest.subarray(0, SALT_BYTES)]))
  if (timingSafeEqual(check, rest.subarray(SALT_BYTES))) return chunkKey
  throw new AppError(
    'credentials-locked',
    `the backup can't be opened with the key in ${key.place}: it was sealed with another one, or its first bytes are damaged`,
  )
}

function decrypt(chunkKey: Buffer, number: number, word: Buffer, sealed: Buffer): Buffer {
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', chunkKey, nonceOf(number), { authTagLength: TAG_BYTES })
  decipher.setAAD(word)
  decipher.setAuthTag(sealed.subarray(end))
  const text = decipher.update(sealed.subarray(0, end))
  try {
    decipher.final()
  } catch (error) {
    throw damaged(error)
  }
  return text
}

async function readExactly(handle: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at)
    if (bytesRead === 0) throw refused('it is cut off')
    at += bytesRead
  }
  return bytes
}

const damaged = (cause?: unknown): AppError => refused('it is damaged, or was changed', cause)
