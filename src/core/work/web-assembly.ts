import { readFileSync } from 'node:fs'

/** The part of the global `WebAssembly` used here; its types ship only with those of browsers. */
type WebAssembly = {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { readonly exports: unknown }
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly

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
