/** Of a delivery channel. The inbox is none, but can stand where one is expected. */
const shape = /^c_[a-z0-9]{16}$/

export function isChannelId(text: string): boolean {
  return shape.test(text)
}
