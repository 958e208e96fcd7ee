select execution, wait from call indexed by call_tool where tool = ? and started >= ? order by started desc limit ?
