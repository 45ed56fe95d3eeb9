// A service behind a proxy that asks forward-auth. It needs no library and verifies nothing itself.
//
// It listens on 127.0.0.1, where only the proxy reaches it: who reaches it directly can claim to be
// any caller.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
)

type caller struct {
	Credential        string `json:"credential"`
	ClientID          string `json:"client_id"`
	ServiceTrunkGroup string `json:"service_trunk_group"`
}

func callerOf(request *http.Request) caller {
	return caller{
		Credential:        request.Header.Get("X-Auth-Credential"),
		ClientID:          request.Header.Get("X-Auth-Client-Id"),
		ServiceTrunkGroup: request.Header.Get("X-Auth-Service-Trunk-Group"),
	}
}

func respond(writer http.ResponseWriter, status int, body any) {
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	_ = json.NewEncoder(writer).Encode(body)
}

func messages(writer http.ResponseWriter, request *http.Request) {
	who := callerOf(request)
	// No caller means that the proxy did not ask: a mistake in its configuration, and no access.
	if who.Credential == "" {
		respond(writer, http.StatusInternalServerError, map[string]string{
			"error": "server_error", "error_description": "no verified caller",
		})
		return
	}
	// A service trunk group is whose data a caller may see.
	respond(writer, http.StatusOK, map[string]any{"language": "go", "caller": who})
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	http.HandleFunc("/health", func(writer http.ResponseWriter, _ *http.Request) {
		respond(writer, http.StatusOK, map[string]string{"status": "ok"})
	})
	http.HandleFunc("/", messages)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
