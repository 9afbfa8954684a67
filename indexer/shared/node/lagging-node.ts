import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "./errors.ts";

/** The node is behind what it, or another node behind the same address, has returned before. */
export class NodeBehind extends NodeUnavailable {}

/**
 * The node does not return a block, or a part of one, although its head is not below it: it has deleted the block, or it is one of several
 * nodes behind one address, and behind the others.
 */
export class BlockUnavailable extends BadUpstreamData {}
