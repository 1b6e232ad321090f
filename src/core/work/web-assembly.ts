import { readFileSync } from 'node:fs'

/** The part of the global `WebAssembly` used here; its types ship only with those of browsers. */
type WebAssembly = {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { readonly exports: unknown }
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer }
}

const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly

/**
 * Instantiates a scanner that `npm ci` compiled to WebAssembly. The file is read for the first instance. Its machine code is compiled once
 * per process: the runtime shares it between threads.
 */
export function createInstances<Exports>(name: string, file: URL): () => Exports {
  let compiled: object | undefined
  return () => {
    compiled ??= new Module(readBuilt(name, file))
    return new Instance(compiled).exports as Exports
  }
}

function readBuilt(name: string, file: URL): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new Error(`the ${name} was not built; in a checkout, npm ci builds it`, { cause })
  }
}

const PAGE_BYTES = 64 * 1024

/** Bytes that begin at a page of memory, as unbuffered access to files needs. Ordinary buffers begin anywhere. */
export function alignedBytes(length: number): Buffer {
  return Buffer.from(new Memory({ initial: Math.ceil(length / PAGE_BYTES) }).buffer, 0, length)
}
