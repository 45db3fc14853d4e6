export type AddressOf = (headers: Headers, socketAddress: string | undefined) => string;
/**
 * `proxies`: how many proxies of ours a request passes. Each of them appends the address it got the request from; what stands before these
 * entries was sent by the client and may be anything.
 */
export declare function createAddressReader(proxies: number): AddressOf;
