package shared

// ClusterStatus is a cluster as one of its nodes sees it.
type ClusterStatus struct {
	Node    string           `json:"node" doc:"that answers"`
	LogAway bool             `json:"logAway" doc:"the log does not answer this node: its matches stand still"`
	Matches int              `json:"matches" doc:"that run, on all nodes"`
	Nodes   []ClusterNode    `json:"nodes" doc:"by name"`
	Orphans []ClusterOrphan  `json:"orphans" doc:"matches that no node runs at the moment, the oldest first; 100 at most"`
	Waiting int              `json:"waiting" doc:"of them: those that wait for a node of the build that began them"`
	Streams []ClusterJournal `json:"streams" doc:"of the log; empty while it does not answer"`
}

// ClusterNode is one node.
type ClusterNode struct {
	Name      string   `json:"name"`
	URL       string   `json:"url,omitempty" doc:"where players reach it; absent: where they reach any node"`
	State     string   `json:"state" enum:"alive,suspected,gone" doc:"suspected: not heard of, its matches are taken over"`
	Draining  bool     `json:"draining" doc:"it gives its matches to others and takes no new ones"`
	Build     string   `json:"build"`
	Sim       string   `json:"sim" doc:"how it simulates: nodes take over matches of the same only"`
	LogServer string   `json:"logServer,omitempty" doc:"that runs inside of it"`
	Processor int      `json:"processor" doc:"of its processors that it uses, in thousandths"`
	Memory    int      `json:"memory" doc:"of the memory that it may use, in thousandths"`
	Matches   int      `json:"matches" doc:"that run there"`
	Most      int      `json:"most" doc:"that may run there"`
	SilentMs  int64    `json:"silentMs" doc:"since it was last heard of"`
	Taking    []string `json:"taking" doc:"matches that it takes over at the moment"`
}

// ClusterOrphan is a match that no node runs at the moment.
type ClusterOrphan struct {
	Match     string   `json:"match"`
	Former    string   `json:"former,omitempty" doc:"the node that ran it last"`
	WaitingMs int64    `json:"waitingMs"`
	Nodes     []string `json:"nodes" doc:"that take it over, in turn; empty: no living node is of its build"`
}

// ClusterJournal is a part of the log.
type ClusterJournal struct {
	Name    string   `json:"name"`
	Leader  string   `json:"leader,omitempty" doc:"the log server that orders it; absent: one is being elected"`
	Servers []string `json:"servers" doc:"that keep it"`
}
