export default {
  parts: { protocols: ['./finger-protocol.ts'] },
}
