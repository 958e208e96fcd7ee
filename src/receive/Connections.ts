/** Keeps a server open for newcomers: whoever only holds on to a connection makes room. */
import type * as http from "node:http"
import type { Socket } from "node:net"

/**
 * Beyond `atMost` open connections, each new one has the server close the one on which it has waited longest for a whole
 * request. Those that are being answered stay; were they twice as many, the server would take no more.
 */
export const limit = (server: http.Server, atMost: number): void => {
  /** The connections, and the request that each is about: who has waited longest comes first. */
  const open = new Map<Socket, http.IncomingMessage | undefined>()
  const put = (socket: Socket, request: http.IncomingMessage | undefined): void => {
    open.delete(socket)
    open.set(socket, request)
  }
  const makeRoom = (newcomer: Socket): void => {
    for (const [socket, request] of open) {
      if (request?.complete === true || socket === newcomer) continue
      open.delete(socket)
      socket.destroy()
      return
    }
  }
  server.maxConnections = 2 * atMost
  server.on("connection", (socket) => {
    put(socket, undefined)
    socket.once("close", () => open.delete(socket))
    if (open.size > atMost) makeRoom(socket)
  })
  server.on("request", (request, response) => {
    const { socket } = request
    open.set(socket, request)
    response.once("close", () => {
      if (!socket.destroyed) put(socket, undefined)
    })
  })
}
